// The projection into a real OpenSearch beside a real PostgreSQL: it follows, rebuilds while it serves, and refuses one by one.
import { assert, describe, layer } from "@effect/vitest"
import { SHARED_INDEX_KEPT_MILLIS } from "../opensearch/OpenSearchLimits.ts"
import { Effect, Fiber, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { EVIDENCE_FORMAT } from "@rapport/core/search/EvidenceFormat.ts"
import {
  isOpenSearchMissing,
  OpenSearchAt,
  OpenSearchFixtures,
  settingsOf
} from "../testing/OpenSearchFixtures.ts"
import { PostgresFixtures } from "../testing/PostgresFixtures.ts"
import {
  addAppeal,
  addMessage,
  caughtUp,
  eventually,
  newWorld,
  search
} from "../testing/ProjectionFixtures.ts"
import { sharedSearchLayer } from "./Search.ts"

const served = `evidence-${EVIDENCE_FORMAT}`
const live = { excludeTestServices: true, timeout: "180 seconds" } as const

const request = Effect.fnUntraced(function* (method: string, path: string, body?: object) {
  const { url } = yield* OpenSearchAt
  return yield* Effect.promise(async () => {
    const answer = await fetch(`${url}/${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return answer.text()
  })
})

/** The search of one process, on indexes of the test's own. */
const searching = Effect.fnUntraced(function* (prefix: string) {
  const { url } = yield* OpenSearchAt
  return sharedSearchLayer(settingsOf(url, prefix))
})

const decodeQuarantined = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ key: Schema.Finite, reason: Schema.String }))
)

describe.skipIf(isOpenSearchMissing)("the search on OpenSearch", () => {
  layer(Layer.merge(PostgresFixtures.migrated, OpenSearchFixtures.at), live)("beside a database", (it) => {
    it.effect(
      "indexes what was there, then what is committed, and builds anew without a moment of silence",
      () =>
        Effect.gen(function* () {
          const prefix = yield* OpenSearchFixtures.prefix
          const world = yield* newWorld
          const first = yield* addAppeal(world, ["рахунок за інтернет", "надішлю ще раз"])
          yield* Effect.gen(function* () {
            yield* caughtUp
            assert.deepStrictEqual(yield* search(world, "рахунки"), [first])
            const second = yield* addAppeal(world, ["a refund"])
            yield* eventually(search(world, "refunds"), (ids) => ids.includes(second), 5)
            yield* addMessage(world, second, "и возврат")
            yield* eventually(search(world, "возврата"), (ids) => ids.includes(second), 5)

            const asking = yield* Effect.forkChild(
              Effect.forever(
                Effect.tap(search(world, null), (ids) => Effect.sync(() => assert.include(ids, second)))
              )
            )
            const sql = yield* SqlClient.SqlClient
            yield* sql`insert into projection_rebuilds (kind, generation) values ('evidence', 1)`
            const third = yield* addAppeal(world, ["a parcel"])
            yield* eventually(
              request("GET", `_cat/aliases/${prefix}-${served}?h=index`),
              (text) => text.trim() === `${prefix}-${served}-000002`,
              30
            )
            yield* caughtUp
            assert.deepStrictEqual(yield* search(world, "parcel"), [third])
            yield* eventually(
              request("GET", `_cat/indices/${prefix}-*?h=index`),
              (text) => !text.includes(`${served}-000001`),
              SHARED_INDEX_KEPT_MILLIS / 1_000 + 10
            )
            const exit = asking.pollUnsafe()
            assert.isUndefined(exit, exit === undefined ? "" : String(exit))
            yield* Fiber.interrupt(asking)
          }).pipe(Effect.provide(yield* searching(prefix)))
        }),
      90_000
    )

    it.effect(
      "puts what OpenSearch refuses in quarantine, takes the others, and takes it up when it is released",
      () =>
        Effect.gen(function* () {
          const prefix = yield* OpenSearchFixtures.prefix
          const settings = { index: { "mapping.nested_objects.limit": 3 } }
          yield* request("PUT", `_component_template/${prefix}-custom`, { template: { settings } })
          const world = yield* newWorld
          const sql = yield* SqlClient.SqlClient
          yield* Effect.gen(function* () {
            const good = yield* addAppeal(world, ["a refund"])
            const bad = yield* addAppeal(world, ["a refund", "two", "three", "four"])
            const quarantined =
              sql`select key::float8 as key, reason from quarantine where instance_id = ${world.instanceId}`.pipe(
                Effect.flatMap(decodeQuarantined)
              )
            const rows = yield* eventually(quarantined, (found) => found.length > 0, 20)
            assert.strictEqual(rows[0]?.key, bad)
            assert.include(rows[0]?.reason, "nested")
            yield* caughtUp
            assert.deepStrictEqual(yield* search(world, "refund"), [good])
            yield* request("PUT", `${prefix}-${served}-*/_settings`, {
              index: { "mapping.nested_objects.limit": 100 }
            })
            yield* sql`delete from quarantine where key = ${bad}`
            yield* eventually(search(world, "refund"), (ids) => ids.length === 2, 5)
          }).pipe(Effect.provide(yield* searching(prefix)))
          yield* request("DELETE", `_component_template/${prefix}-custom`)
        }),
      90_000
    )
  })
})
