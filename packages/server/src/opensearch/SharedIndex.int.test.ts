// Several processes of the service on one OpenSearch, and an OpenSearch of several nodes of which one is lost.
import { assert, describe, layer } from "@effect/vitest"
import type { Readiness } from "@rapport/contract/context/ContextApi.ts"
import { searchAppeals, foundIds, newInstance, writeAppeals } from "@rapport/core/testing/EvidenceFixtures.ts"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  isOpenSearchMissing,
  OpenSearchAt,
  OpenSearchFixtures,
  ownCluster,
  settingsOf,
  whyNoOwnNode
} from "../testing/OpenSearchFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { readinessOf } from "../testing/ServerFixtures.ts"
import { SharedDatabaseFixtures, startOnShared } from "../testing/SharedDatabaseFixtures.ts"
import { EvidenceIndexOpenSearch } from "./EvidenceIndexOpenSearch.ts"
import { OpenSearch } from "./OpenSearch.ts"
import type { OpenSearchNode } from "../testing/OpenSearchNode.ts"

const live = { excludeTestServices: true, timeout: "240 seconds" } as const

/** Starts another process on the same database and OpenSearch. */
const start = Effect.fnUntraced(function* (prefix: string) {
  const { url } = yield* OpenSearchAt
  const service = yield* startOnShared({ OPENSEARCH_URL: url, OPENSEARCH_INDEX_PREFIX: prefix })
  return { process: service.process, readiness: readinessOf(service) }
})

const decodeHolders = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ kind: Schema.String, holder: Schema.String }))
)
const holders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* decodeHolders(
    yield* sql`select kind, process_id::text as holder from projection_leases
      where expires_at > clock_timestamp() and kind in ('evidence', 'client_memory') order by kind`
  )
})

const isCaughtUp = (one: Readiness) =>
  one.searchIndex === "ready" && one.clientMemoryIndex === "ready" && one.indexLagMs === 0

/** Queues a change of every appeal of client 501. */
const queueChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into outbox (instance_id, kind, key) select instance_id, 'evidence', id from appeals where client_id = 501`
})

describe.skipIf(isOpenSearchMissing)("several processes", () => {
  layer(Layer.merge(SharedDatabaseFixtures.layer, OpenSearchFixtures.at), live)("on one OpenSearch", (it) => {
    it.effect(
      "one of several processes writes to a shared OpenSearch, and another takes over within seconds",
      () =>
        Effect.gen(function* () {
          const prefix = yield* OpenSearchFixtures.prefix
          const one = yield* start(prefix)
          yield* eventually(one.readiness, isCaughtUp)
          const first = yield* holders
          assert.deepStrictEqual(
            first.map(({ kind }) => kind),
            ["client_memory", "evidence"]
          )
          const two = yield* start(prefix)
          yield* eventually(two.readiness, isCaughtUp)
          assert.deepStrictEqual(yield* holders, first)
          yield* queueChanges
          yield* eventually(two.readiness, isCaughtUp)

          one.process.signal("SIGKILL")
          yield* queueChanges
          assert.isAbove((yield* two.readiness).indexLagMs, 0)
          yield* eventually(two.readiness, isCaughtUp)
          const second = yield* holders
          assert.notDeepEqual(second, first)

          const three = yield* start(prefix)
          two.process.signal("SIGSTOP")
          yield* queueChanges
          yield* eventually(three.readiness, isCaughtUp)
          two.process.signal("SIGCONT")
          yield* queueChanges
          yield* eventually(two.readiness, isCaughtUp)
          yield* eventually(three.readiness, isCaughtUp)
        }),
      180_000
    )
  })
})

class Nodes extends Context.Service<Nodes, ReadonlyArray<OpenSearchNode>>()("test/Nodes") {}

const onCluster = Layer.unwrap(
  Effect.map(Nodes, (nodes) =>
    EvidenceIndexOpenSearch.layer("cluster").pipe(
      Layer.provide(OpenSearch.layer(settingsOf(nodes.map(({ url }) => url))))
    )
  )
).pipe(Layer.provideMerge(Layer.effect(Nodes, ownCluster)))

describe.skipIf(whyNoOwnNode !== undefined)("a cluster of three nodes", () => {
  layer(onCluster, live)("of which one is lost", (it) => {
    it.effect(
      "a cluster that loses one of three nodes answers completely and accepts writes",
      () =>
        Effect.gen(function* () {
          const ids = yield* Effect.forEach(Array.from({ length: 8 }), () => newInstance)
          // Creating an index can exceed the timeout of a call on a slow cluster.
          const apply = (documentIds: ReadonlyArray<number>) =>
            Effect.forEach(ids, (id) =>
              eventually(
                writeAppeals(
                  id,
                  documentIds.map((documentId) => ({ documentId, texts: ["a refund"] }))
                ).pipe(
                  Effect.as(true),
                  Effect.orElseSucceed(() => false)
                ),
                (done) => done
              )
            )
          yield* apply([1, 2, 3])
          const [first, second] = yield* Nodes
          yield* eventually(
            Effect.promise(async () => (await fetch(`${second?.url}/_cat/health?h=status`)).text()),
            (status) => status.startsWith("green")
          )
          // The service has the address of this node first in its settings.
          first?.process.kill("SIGKILL")
          for (const id of ids) {
            yield* eventually(
              Effect.orElseSucceed(foundIds(id, { query: "refund" }), () => []),
              (appeals) => appeals.length === 3
            )
          }
          yield* apply([4])
          for (const id of ids) assert.sameMembers(yield* foundIds(id, { query: "refund" }), [1, 2, 3, 4])
          assert.isFalse((yield* searchAppeals(ids[0] ?? 0)).more)
        }),
      180_000
    )
  })
})
