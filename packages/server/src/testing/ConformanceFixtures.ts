// The official conformance runner of MCP, fetched by npx. It sends no token, so a proxy adds one.
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { createServer } from "node:http"
import * as os from "node:os"
import * as path from "node:path"
import { listenOnLoopback, passTo } from "./LoopbackServer.ts"

const PACKAGE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
const RUN_MILLIS_MAX = 120_000

/** The runner's report of one check. */
export interface Check {
  readonly scenario: string
  readonly id: string
  readonly status: string
  readonly error: string
}

const Checks = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      id: Schema.String,
      status: Schema.String,
      errorMessage: Schema.optionalKey(Schema.String)
    })
  )
)
const decodeChecks = Schema.decodeUnknownSync(Checks)

/** Runs a program to its end, with the Node of this process, which the runner needs. */
export const execute = (program: string, args: ReadonlyArray<string>, cwd: string) =>
  new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
    const env = { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env["PATH"] ?? ""}` }
    execFile(
      program,
      args,
      { cwd, env, timeout: RUN_MILLIS_MAX, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}\n${stderr}` })
    )
  })

/** Path of a program of a package; undefined with one warning if it cannot be fetched. With CI=true that is a failure. */
export const findProgram = async (name: string, program: string): Promise<string | undefined> => {
  const { code, output } = await execute(
    "npx",
    ["-y", "-p", name, "-c", `command -v ${program}`],
    os.tmpdir()
  )
  const found = output.split("\n").find((line) => line.startsWith("/") && line.endsWith(program))
  if (code === 0 && found !== undefined) return found
  const line = `${name} could not be fetched: ${output.trim().split("\n").at(-1) ?? ""}`
  if (process.env["CI"] === "true") throw new Error(line)
  console.warn(`SKIPPED: ${line}`)
  return undefined
}

export const findRunner = () => findProgram(PACKAGE, "conformance")

/** The checks of `conformance server`. */
export const conformance = async (
  runner: string,
  url: string,
  folder: string,
  ...args: ReadonlyArray<string>
): Promise<ReadonlyArray<Check>> => {
  const { output } = await execute(
    process.execPath,
    [runner, "server", "--url", url, "-o", folder, ...args],
    folder
  )
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => path.basename(name) === "checks.json")
  if (files.length === 0) throw new Error(`the runner wrote no checks: ${output.slice(-2_000)}`)
  return files.flatMap((name) =>
    decodeChecks(fs.readFileSync(path.join(folder, name), "utf8")).map(({ errorMessage, id, status }) => ({
      scenario: path.basename(path.dirname(name)).replace(/^server-|-\d{4}-\d\d-\d\dT.*$/gu, ""),
      id,
      status,
      error: errorMessage ?? ""
    }))
  )
}

/** A proxy on loopback that adds `token` as bearer. */
export const tokenProxy = (origin: string, token: string) => {
  const server = createServer((request, response) =>
    passTo(origin, request, response, { headers: { ...request.headers, authorization: `Bearer ${token}` } })
  )
  return Effect.map(listenOnLoopback(server), (port) => `http://127.0.0.1:${port}`)
}
