// The projection from a real PostgreSQL into a real OpenSearch: it follows, rebuilds while it answers, and refuses documents one by one.
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { EVIDENCE_FORMAT } from "@rapport/core/search/EvidenceFormat.ts"
import { AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import type { IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import {
  appeal,
  foundIds,
  indexCheckpoint,
  newInstance,
  write,
  writeAppeals
} from "@rapport/core/testing/EvidenceFixtures.ts"
import { EvidenceIndexOpenSearch } from "../opensearch/EvidenceIndexOpenSearch.ts"
import { OpenSearch } from "../opensearch/OpenSearch.ts"
import { indexedChange } from "../opensearch/EvidenceFields.ts"
import { evidenceTemplate } from "../opensearch/EvidenceMapping.ts"
import {
  askOpenSearch,
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
import { sharedSearchLayer } from "../testing/SearchLayers.ts"

const aliasName = `evidence-${EVIDENCE_FORMAT}`
const live = { excludeTestServices: true, timeout: "180 seconds" } as const

/** The search of one process, on indexes of the test's own. */
const makeSearchLayer = Effect.fnUntraced(function* (prefix: string) {
  const { url } = yield* OpenSearchAt
  return sharedSearchLayer(settingsOf(url, prefix))
})

const decodeDocument = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
)
const requestOk = Effect.fnUntraced(function* (method: string, path: string, body?: object) {
  const text = yield* askOpenSearch(method, path, body)
  assert.notInclude(text, '"error"')
  return text
})

/** An index as format 7 wrote it: it had no share of the opening. */
const writeOlder = Effect.fnUntraced(function* (
  prefix: string,
  marks: object,
  instanceId: number,
  documents: ReadonlyArray<IndexedDocument>
) {
  const old = `${prefix}-evidence-7`
  const { mappings, settings } = evidenceTemplate("", { composedOf: [] }).template
  const { openingShare: _, ...properties } = mappings.properties
  yield* requestOk("PUT", `${old}-000001`, {
    settings,
    mappings: { ...mappings, properties },
    aliases: { [old]: {} }
  })
  for (const document of documents) {
    const change = indexedChange(instanceId, { _tag: "Upsert", document })
    const { openingShare: __, ...source } = yield* decodeDocument(change.source)
    const version = "version=1&version_type=external"
    yield* requestOk("PUT", `${old}/_doc/${change.id}?routing=${instanceId}&${version}`, source)
  }
  yield* requestOk("PUT", `${old}/_doc/marks?routing=marks&refresh=true`, marks)
})

const indexesOf = (prefix: string) =>
  Effect.map(askOpenSearch("GET", `_cat/indices/${prefix}-evidence-*?h=index`), (text) =>
    text.trim().split("\n").toSorted()
  )

const decodeQuarantined = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ key: Schema.Finite, reason: Schema.String }))
)

describe.skipIf(isOpenSearchMissing)("the search on OpenSearch", () => {
  layer(Layer.merge(PostgresFixtures.migrated, OpenSearchFixtures.at), live)("with a database", (it) => {
    it.effect(
      "the OpenSearch index has existing and new appeals, and is rebuilt without interruption",
      () =>
        Effect.gen(function* () {
          const prefix = yield* OpenSearchFixtures.prefix
          const world = yield* newWorld
          const first = yield* addAppeal(world, ["рахунок за інтернет", "надішлю ще раз"])
          yield* Effect.gen(function* () {
            yield* caughtUp
            assert.deepStrictEqual(yield* search(world, "рахунки"), [first])
            const second = yield* addAppeal(world, ["a refund"])
            yield* eventually(search(world, "refunds"), (ids) => ids.includes(second))
            yield* addMessage(world, second, "и возврат")
            yield* eventually(search(world, "возврата"), (ids) => ids.includes(second))

            const searches = yield* Effect.forkChild(
              Effect.forever(
                Effect.tap(search(world, null), (ids) => Effect.sync(() => assert.include(ids, second)))
              )
            )
            const sql = yield* SqlClient.SqlClient
            yield* sql`insert into projection_rebuilds (kind, generation) values ('evidence', 1)`
            const third = yield* addAppeal(world, ["a parcel"])
            yield* eventually(
              askOpenSearch("GET", `_cat/aliases/${prefix}-${aliasName}?h=index`),
              (text) => text.trim() === `${prefix}-${aliasName}-000002`
            )
            yield* caughtUp
            assert.deepStrictEqual(yield* search(world, "parcel"), [third])
            yield* eventually(
              askOpenSearch("GET", `_cat/indices/${prefix}-*?h=index`),
              (text) => !text.includes(`${aliasName}-000001`)
            )
            const exit = searches.pollUnsafe()
            assert.isUndefined(exit, exit === undefined ? "" : String(exit))
            yield* Fiber.interrupt(searches)
          }).pipe(Effect.provide(yield* makeSearchLayer(prefix)))
        }),
      90_000
    )

    it.effect("the OpenSearch index writes to an older format until the new one is published", () =>
      Effect.gen(function* () {
        const prefix = yield* OpenSearchFixtures.prefix
        const id = yield* newInstance
        const marks = { marks: { list: [indexCheckpoint(id)] } }
        yield* writeOlder(prefix, marks, id, [appeal({ documentId: 1, texts: ["a parcel"] })])
        const { url } = yield* OpenSearchAt
        const keptMillis = 300
        const first = `${prefix}-${aliasName}-000001`
        const halves = EvidenceIndexOpenSearch.layer(prefix, keptMillis).pipe(
          Layer.provide(OpenSearch.layer(settingsOf(url)))
        )
        yield* Effect.gen(function* () {
          const projection = yield* AppealProjection
          assert.deepStrictEqual(yield* foundIds(id, { query: "parcel" }), [1])
          assert.isTrue(yield* projection.outdated)
          yield* writeAppeals(id, [{ documentId: 2, texts: ["the parcels"] }])
          assert.sameMembers(yield* foundIds(id, { query: "parcel" }), [1, 2])
          yield* projection.reset("building")
          yield* writeAppeals(id, [{ texts: ["a parcel"] }], "building")
          assert.sameMembers(yield* foundIds(id, { query: "parcel" }), [1, 2])
          // The old one is deleted when its successor has been written to for a while.
          yield* Effect.sleep(3 * keptMillis)
          assert.sameMembers([...(yield* indexesOf(prefix))], [`${prefix}-evidence-7-000001`, first])
          yield* projection.publish
          assert.isFalse(yield* projection.outdated)
          assert.deepStrictEqual(yield* foundIds(id, { query: "parcel" }), [1])
          yield* eventually(
            Effect.andThen(write(id, []), indexesOf(prefix)),
            (names) => String(names) === first
          )
        }).pipe(Effect.provide(halves, { local: true }))
      })
    )

    it.effect(
      "appeals that OpenSearch refuses are quarantined, and indexed when they are released",
      () =>
        Effect.gen(function* () {
          const prefix = yield* OpenSearchFixtures.prefix
          const settings = { index: { "mapping.nested_objects.limit": 3 } }
          yield* askOpenSearch("PUT", `_component_template/${prefix}-custom`, { template: { settings } })
          const world = yield* newWorld
          const sql = yield* SqlClient.SqlClient
          yield* Effect.gen(function* () {
            const good = yield* addAppeal(world, ["a refund"])
            const bad = yield* addAppeal(world, ["a refund", "two", "three", "four"])
            const quarantined =
              sql`select key::float8 as key, reason from quarantine where instance_id = ${world.instanceId}`.pipe(
                Effect.flatMap(decodeQuarantined)
              )
            const rows = yield* eventually(quarantined, (found) => found.length > 0)
            assert.strictEqual(rows[0]?.key, bad)
            assert.include(rows[0]?.reason, "nested")
            yield* caughtUp
            assert.deepStrictEqual(yield* search(world, "refund"), [good])
            yield* askOpenSearch("PUT", `${prefix}-${aliasName}-*/_settings`, {
              index: { "mapping.nested_objects.limit": 100 }
            })
            yield* sql`delete from quarantine where key = ${bad}`
            yield* eventually(search(world, "refund"), (ids) => ids.length === 2)
          }).pipe(Effect.provide(yield* makeSearchLayer(prefix)))
          yield* askOpenSearch("DELETE", `_component_template/${prefix}-custom`)
        }),
      90_000
    )
  })
})
