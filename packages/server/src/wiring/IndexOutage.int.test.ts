// The real program with a search index that is unavailable at its start, and with the same index later (contract §11).
import { assert, it } from "@effect/vitest"
import type { Readiness } from "@rapport/contract/context/ContextApi.ts"
import { Effect } from "effect"
import { isOpenSearchMissing, startNodeOn } from "../testing/OpenSearchFixtures.ts"
import { PostgresFixtures, PreparedFolder, temporaryFolder } from "../testing/PostgresFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { freePort } from "../testing/SharedDatabaseFixtures.ts"
import { readinessOf, startService } from "../testing/ServerFixtures.ts"

const startSmallService = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const service = yield* startService({ RAPPORT_SEED: "small", ...environment })
  return {
    ...service,
    evidence: service.send({
      login: "operator",
      path: "/kw/chatrooms/context/retrieve",
      body: {
        scope: { entity: "client", id: 501 },
        targets: ["relevant_appeals", "relevant_client_memory"],
        query: "рахунок",
        timeoutMs: 5_000
      }
    }),
    readiness: readinessOf(service)
  }
})

const linesOf = (text: string, pattern: RegExp) => text.split("\n").filter((line) => pattern.test(line))
const isReady = ({ clientMemoryIndex, searchIndex }: Readiness) =>
  searchIndex === "ready" && clientMemoryIndex === "ready"

it.live(
  "the service starts without its search index and catches up when the index comes",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const port = yield* freePort
      const environment = { RAPPORT_DATA_DIR: folder, OPENSEARCH_URL: `http://127.0.0.1:${port}` }
      const first = yield* startSmallService(environment)
      assert.lengthOf(linesOf(first.process.stderr, /has not answered for 10 s/u), 1)
      assert.lengthOf(linesOf(first.process.stderr, /OpenSearch is unavailable/u), 1)
      assert.isAtMost(linesOf(first.process.stderr, /indexing: 0 appeals/u).length, 1)
      assert.strictEqual((yield* Effect.promise(() => first.call("/health/ready"))).status, 200)
      const listed = yield* first.send({ login: "operator", path: "/kw/api/v1/OpChatRooms/list" })
      assert.strictEqual(listed.status, 200)
      const unavailable = yield* first.evidence
      assert.strictEqual(unavailable.status, 503, unavailable.text)
      yield* first.process.stop()

      // A later start does not wait for it.
      const second = yield* startSmallService(environment)
      assert.lengthOf(linesOf(second.process.stderr, /has not answered/u), 0)
      if (isOpenSearchMissing) return
      yield* startNodeOn(yield* temporaryFolder, port)
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
      const first = yield* startSmallService({ RAPPORT_DATA_DIR: folder })
      yield* eventually(first.readiness, isReady)
      yield* first.process.stop()
      for (let again = 0; again < 2; again++) {
        const next = yield* startSmallService({ RAPPORT_DATA_DIR: folder })
        const found = yield* next.evidence
        assert.strictEqual(found.status, 200, found.text)
        yield* next.process.stop()
      }
    }).pipe(Effect.provide(PostgresFixtures.smallFolder, { local: true })),
  400_000
)
