// What `pnpm start` and the image run: the bundle starts and answers as the sources do, and its traces lead to the
// sources. Tests that start the program run it, too, but those that name `sources`.
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fs from "node:fs"
import { SourceMap } from "node:module"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { PostgresFixtures, PreparedFolder } from "../testing/PostgresFixtures.ts"
import { connect, type RunningServer, startFlags, startProcess } from "../testing/ServerFixtures.ts"
import { bundledProgram } from "./Bundle.js"

const startBundle = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { path: folder } = yield* PreparedFolder
    const settings = { PORT: "0", RAPPORT_SEED: "small", RAPPORT_DATA_DIR: folder, ...environment }
    const started = yield* startProcess(["serve"], settings, startFlags)
    return connect(started, yield* Effect.promise(() => started.ready()))
  })

/** The index is built while the service runs; until then readiness reports it. */
const packs = async (service: RunningServer["Service"]): Promise<void> => {
  const answer = await service.call("/kw/chatrooms/context/retrieve", {
    login: "administrator",
    method: "POST",
    headers: { accept: "text/markdown", "content-type": "application/json" },
    body: JSON.stringify({
      scope: { entity: "client", id: 501 },
      targets: ["relevant_appeals"],
      query: "двічі списали гроші з картки"
    })
  })
  const text = await answer.text()
  if (answer.status === 503 && text.includes("search_index_not_ready")) {
    await setTimeout(100)
    return packs(service)
  }
  assert.strictEqual(answer.status, 200, text)
  assert.match(text, /^shown: [1-9]/mu)
}

const listsTools = async ({ call }: RunningServer["Service"]) => {
  const answer = await call("/kw/mcp", {
    login: "administrator",
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })
  })
  assert.strictEqual(answer.status, 200)
  assert.include(await answer.text(), "get_client_context")
}

/** Pages, and the scripts and styles that each names. */
const showsPages = async ({ call, origin }: RunningServer["Service"]) => {
  for (const page of ["/api-docs", "/demo/phone"]) {
    const html = await (await call(page)).text()
    const named = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/gu)].map(([, file = ""]) => file)
    assert.isAbove(named.length, 1, page)
    for (const file of named)
      assert.strictEqual((await fetch(new URL(file, `${origin}${page}`))).status, 200, file)
  }
  assert.strictEqual((await call("/swagger.json")).status, 200)
}

/** What a bundler that takes a throwing call for one without effect loses. */
const refusesBrokenCodes = async ({ call }: RunningServer["Service"]) =>
  assert.strictEqual((await call("/kw/api/v1/users/%zz", { login: "administrator" })).status, 400)

const Mapped = Schema.Struct({ originalSource: Schema.String, originalLine: Schema.Int })
const decodeMapped = Schema.decodeUnknownSync(Mapped)

/** Where a text of the sources is in the bundle, its map names the file and the line of the source. */
const leadsToItsSource = (text: string, source: string) => {
  const folder = path.dirname(fileURLToPath(bundledProgram(false) ?? ""))
  const chunks = fs.readdirSync(folder).filter((name) => name.endsWith(".js"))
  const holding = chunks.find((name) => fs.readFileSync(path.join(folder, name), "utf8").includes(text)) ?? ""
  const before = fs.readFileSync(path.join(folder, holding), "utf8").split(text)[0]?.split("\n") ?? []
  const map = new SourceMap(JSON.parse(fs.readFileSync(path.join(folder, `${holding}.map`), "utf8")))
  const found = decodeMapped(map.findEntry(before.length - 1, before.at(-1)?.length ?? 0))
  const file = path.resolve(folder, found.originalSource)
  assert.strictEqual(file, path.resolve(import.meta.dirname, "..", source))
  assert.include(fs.readFileSync(file, "utf8").split("\n")[found.originalLine], text)
}

layer(PostgresFixtures.smallFolder, { excludeTestServices: true, timeout: "120 seconds" })(
  "the bundle",
  (it) => {
    it.effect("the bundle serves packs, tools and pages, and has source maps", () =>
      Effect.gen(function* () {
        const service = yield* startBundle({})
        assert.isDefined(bundledProgram(false))
        yield* Effect.promise(async () => {
          await packs(service)
          await listsTools(service)
          await showsPages(service)
          await refusesBrokenCodes(service)
          leadsToItsSource("and the database holds demo logins", "start/Listening.ts")
        })
      }).pipe(Effect.scoped)
    )
  }
)
