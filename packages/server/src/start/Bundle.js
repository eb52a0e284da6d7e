// Finds or builds the bundle of these sources. Plain JavaScript with Node's modules only, because it loads before everything else.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { repositoryFolder } from "../files/Repository.js"

const PACKAGES = ["contract", "core", "demo", "mcp", "server"]
const MAKER = "scripts/bundle.ts"
const MAKE_MILLIS_MAX = 120_000

/** @type {(root: string) => ReadonlyArray<string>} */
const sourcesIn = (root) => [
  "pnpm-lock.yaml",
  MAKER,
  ...PACKAGES.flatMap((name) =>
    fs
      .readdirSync(path.join(root, "packages", name, "src"), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.\w+$/u.test(file) && !file.endsWith(".test.ts"))
      .toSorted()
      .map((file) => path.join("packages", name, "src", file))
  )
]

/** @type {(root?: string) => string} */
export const bundlesFolder = (root = repositoryFolder) => path.join(root, "packages/server/dist")

/** @type {(root?: string) => string} */
export const bundleFolder = (root = repositoryFolder) => {
  const hash = createHash("sha256")
  for (const file of sourcesIn(root)) {
    const { mtimeMs, size } = fs.statSync(path.join(root, file))
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return path.join(bundlesFolder(root), hash.digest("hex").slice(0, 16))
}

/** @type {(isMade: boolean) => string | undefined} */
export const bundledProgram = (isMade) => {
  try {
    const program = path.join(bundleFolder(), "main.js")
    // In a process of its own, whose memory is given back.
    if (isMade && !fs.existsSync(program))
      spawnSync(process.execPath, [path.join(repositoryFolder, MAKER)], {
        stdio: "ignore",
        timeout: MAKE_MILLIS_MAX
      })
    return fs.existsSync(program) ? pathToFileURL(program).href : undefined
  } catch {
    // Nothing to make it of: the sources run.
    return undefined
  }
}
