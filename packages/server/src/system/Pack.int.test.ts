// The two packages that others install: packed, installed in an empty folder, and used there as JavaScript with declarations.
// The Effect program of docs/clients.md runs the same way.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { execute } from "../testing/ConformanceFixtures.ts"
import { call, names, overStdio } from "../testing/McpClientFixtures.ts"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"

const repository = path.resolve(import.meta.dirname, "../../../..")

const succeeds = async (program: string, args: ReadonlyArray<string>, cwd: string) => {
  const { code, output } = await execute(program, args, cwd)
  assert.strictEqual(code, 0, output)
  return output
}

const strictTypeScript = [
  path.join(repository, "node_modules/typescript/bin/tsc"),
  ..."--strict --module nodenext --target esnext --skipLibCheck --types node --typeRoots".split(" "),
  path.join(repository, "node_modules/@types")
]

/** The shell lines of the document that install the client, and its program. */
const readPackProgram = () => {
  const text = fs.readFileSync(path.join(repository, "docs/clients.md"), "utf8")
  const blocks = /`pack\.mts`.*?```sh[^\n]*\n(APP=.*?)```.*?```ts\n(.*?)```/su.exec(text)
  if (blocks === null) throw new Error("docs/clients.md has no program pack.mts")
  const [, install = "", program = ""] = blocks
  return { install, program }
}

/** What a user of both packages writes; it is checked by its types, and run. */
const usage = `
import { Client, credentialOf } from "@rapport/contract/Client.ts"
import { annotations, tools } from "@rapport/mcp/Tools.ts"
import { Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"

const [url = "", token = ""] = process.argv.slice(2)
const read: Effect.Effect<string, unknown, Client> = Effect.gen(function*() {
  const client = yield* Client
  const pack = yield* client.context.retrieveContext({ payload: { scope: { entity: "client", id: 501 } } })
  return pack.packHash
})
const packHash = await Effect.runPromise(
  read.pipe(Effect.provide(Client.layer(url, credentialOf(Redacted.make(token)))), Effect.provide(FetchHttpClient.layer))
)
console.log(JSON.stringify({ packHash, names: tools.map(({ name }) => name), isReadOnly: annotations.readOnlyHint }))
`

layer(ServerFixtures.running(), { excludeTestServices: true })("contract and mcp, packed", (it) => {
  it.effect(
    "the packed contract and mcp install in an empty folder, read a pack and serve the tools",
    () =>
      Effect.gen(function* () {
        const { origin, tokenOf } = yield* RunningServer
        const folder = yield* temporaryFolder
        yield* Effect.promise(async () => {
          for (const name of ["contract", "mcp"])
            await succeeds(
              "npx",
              ["-y", "pnpm@12", "pack", "--pack-destination", folder],
              path.join(repository, "packages", name)
            )
          const tarballs = fs.readdirSync(folder).toSorted()
          assert.match(tarballs.join(" "), /^rapport-contract-[\d.]+\.tgz rapport-mcp-[\d.]+\.tgz$/u)

          fs.writeFileSync(path.join(folder, "package.json"), '{"private":true,"type":"module"}')
          const local = tarballs.map((name) => `./${name}`)
          await succeeds("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...local], folder)
          const pathOf = (name: string) => path.join(folder, "node_modules/@rapport", name)
          for (const name of ["contract", "mcp"]) {
            const files = fs.readdirSync(pathOf(name), { recursive: true, encoding: "utf8" })
            assert.isEmpty(files.filter((file) => /\.test\.|^src|^dist\/testing/u.test(file)))
            assert.include(files, "LICENSE")
          }

          fs.writeFileSync(path.join(folder, "usage.ts"), usage)
          await succeeds(process.execPath, [...strictTypeScript, "usage.ts"], folder)
          const token = await tokenOf("administrator")
          const output = JSON.parse(await succeeds(process.execPath, ["usage.js", origin, token], folder))
          assert.match(output.packHash, /^sha256:[0-9a-f]{64}$/u)
          assert.deepStrictEqual(output.names, names)
          assert.isTrue(output.isReadOnly)

          const client = await overStdio("auto", [path.join(folder, "node_modules/.bin/rapport-mcp")])({
            origin,
            token
          })
          assert.deepStrictEqual(
            (await client.listTools()).tools.map(({ name }) => name),
            names
          )
          assert.isUndefined((await call(client, "get_subject_context", { subject_id: 12 })).isError)
          await client.close()
        })
      }),
    180_000
  )

  it.effect(
    "the packed contract and mcp run the Effect program of docs/clients.md outside the repository",
    () =>
      Effect.gen(function* () {
        const { origin, tokenOf } = yield* RunningServer
        const { install, program } = readPackProgram()
        yield* Effect.promise(async () => {
          const token = await tokenOf("administrator")
          const folder =
            (await succeeds("bash", ["-ec", `${install}\npwd >&2`], repository)).trim().split("\n").at(-1) ??
            ""
          fs.writeFileSync(path.join(folder, "pack.mts"), program.replace("http://127.0.0.1:8080", origin))
          await succeeds(process.execPath, [...strictTypeScript, "--noEmit", "pack.mts"], folder)
          const run = ["-ec", `TOKEN=${token} node pack.mts`]
          assert.match(await succeeds("bash", run, folder), /^sha256:[0-9a-f]{64}\n/u)
          fs.rmSync(folder, { recursive: true })
        })
      }),
    180_000
  )
})
