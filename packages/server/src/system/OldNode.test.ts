// A Node that cannot run the program says so in one line (README, "Two commands").
import { assert, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import * as path from "node:path"

const program = path.resolve(import.meta.dirname, "../../rapport.js")
const line = (version: string) =>
  `rapport: needs Node 24, this is ${version}. Run: npx -y pnpm@12 start (or rapport <command>), which brings its own\n`

/** Nodes of this machine that are too old. */
const oldNodes = (process.env["PATH"] ?? "").split(path.delimiter).flatMap((folder) => {
  const node = path.join(folder, "node")
  try {
    const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim().slice(1)
    return Number.parseInt(version, 10) < 24 ? [[node, version] as const] : []
  } catch {
    return []
  }
})

it("rapport.js on an old Node ends with 1 and one line that says what to run", () => {
  const pretend = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})'
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--import", pretend, program, "serve"], {
    encoding: "utf8"
  })
  assert.deepStrictEqual({ status, stderr, stdout }, { status: 1, stderr: line("20.20.2"), stdout: "" })
})

it.each(oldNodes)("%s on an old Node ends with 1 and one line that says what to run", (node, version) => {
  const { status, stderr, stdout } = spawnSync(node, [program, "serve"], { encoding: "utf8" })
  assert.deepStrictEqual({ status, stderr, stdout }, { status: 1, stderr: line(version), stdout: "" })
})

it("rapport.js on this Node is the program", () => {
  const { status, stdout } = spawnSync(process.execPath, [program, "--version"], { encoding: "utf8" })
  assert.strictEqual(status, 0)
  assert.match(stdout, /\d+\.\d+\.\d+/u)
})
