// The real program with a search index that is unavailable at its start, and with the same index later (contract §11).
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { freePorts } from "../testing/OpenSearchNode.ts"
import { isOpenSearchMissing, startedOn } from "../testing/OpenSearchFixtures.ts"
import { PostgresFixtures, PreparedFolder, temporaryFolder } from "../testing/PostgresFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { connect, startProcess } from "../testing/ServerFixtures.ts"

const Readiness = Schema.Struct({ searchIndex: Schema.String, clientMemoryIndex: Schema.String })
const decodeReadiness = Schema.decodeUnknownPromise(Readiness)

const started = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const process = yield* startProcess(["serve"], { PORT: "0", RAPPORT_SEED: "small", ...environment })
  const server = connect(process, yield* Effect.promise(() => process.ready()))
  return {
    ...server,
    stop: Effect.promise(() => {
      process.signal("SIGTERM")
      return process.end
    }),
    evidence: Effect.promise(async () => {
      const answer = await server.call("/kw/chatrooms/context/retrieve", {
        login: "operator",
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          scope: { entity: "client", id: 501 },
          targets: ["relevant_appeals", "relevant_client_memory"],
          query: "рахунок",
          timeoutMs: 5_000
        })
      })
      return { status: answer.status, text: await answer.text() }
    }),
    readiness: Effect.promise(async () => {
      const answer = await server.call("/kw/context/readiness", { login: "operator" })
      return decodeReadiness(await answer.json())
    })
  }
})

const linesOf = (text: string, pattern: RegExp) => text.split("\n").filter((line) => pattern.test(line))
const isReady = ({ clientMemoryIndex, searchIndex }: typeof Readiness.Type) =>
  searchIndex === "ready" && clientMemoryIndex === "ready"

it.live(
  "the service starts without its search index and catches up when the index comes",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [port = 0] = yield* Effect.promise(() => freePorts(1))
      const environment = { RAPPORT_DATA_DIR: folder, OPENSEARCH_URL: `http://127.0.0.1:${port}` }
      const first = yield* started(environment)
      assert.lengthOf(linesOf(first.process.stderr, /has not answered for 10 s/u), 1)
      assert.lengthOf(linesOf(first.process.stderr, /OpenSearch is unavailable/u), 1)
      assert.isAtMost(linesOf(first.process.stderr, /indexing: 0 appeals/u).length, 1)
      assert.strictEqual((yield* Effect.promise(() => first.call("/health/ready"))).status, 200)
      const listed = yield* Effect.promise(() =>
        first.call("/kw/api/v1/OpChatRooms/list", { login: "operator" })
      )
      assert.strictEqual(listed.status, 200)
      const unavailable = yield* first.evidence
      assert.strictEqual(unavailable.status, 503, unavailable.text)
      yield* first.stop

      // A later start does not wait for it.
      const second = yield* started(environment)
      assert.lengthOf(linesOf(second.process.stderr, /has not answered/u), 0)
      if (isOpenSearchMissing) return
      yield* startedOn(yield* temporaryFolder, port)
      yield* eventually(second.readiness, isReady)
      const found = yield* second.evidence
      assert.strictEqual(found.status, 200, found.text)
    }),
  400_000
)

it.live(
  "the service uses its earlier index as soon as it is ready",
  () =>
    Effect.gen(function* () {
      const { path: folder } = yield* PreparedFolder
      const first = yield* started({ RAPPORT_DATA_DIR: folder })
      yield* eventually(first.readiness, isReady)
      yield* first.stop
      for (let again = 0; again < 2; again++) {
        const next = yield* started({ RAPPORT_DATA_DIR: folder })
        const found = yield* next.evidence
        assert.strictEqual(found.status, 200, found.text)
        yield* next.stop
      }
    }).pipe(Effect.provide(PostgresFixtures.smallFolder, { local: true })),
  400_000
)
