// Laws for writes to a search index of appeals: steps, revisions, readiness, and the two copies.
import { AppealIndex, AppealProjection } from "../appeals/AppealIndex.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import {
  appeal,
  searchAppeals,
  checkpointOf,
  firstDay,
  foundIds,
  indexCheckpoint,
  indexAppeals,
  newInstance,
  removal,
  upsert,
  write,
  writeAppeals
} from "./EvidenceFixtures.ts"

export type Halves = Layer.Layer<AppealIndex | AppealProjection, unknown>

/** OpenSearch takes minutes to start on a loaded machine. */
export const live = { excludeTestServices: true, timeout: 240_000 } as const

/** A part of `evidenceIndexLaws`. */
export const evidenceProjectionLaws = (halves: Halves): void => {
  writingLaws(halves)
  copyLaws(halves)
}

const writingLaws = (halves: Halves) =>
  layer(halves, live)("as a projection", (it) => {
    it.effect("finds an appeal by its latest version only", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals({ texts: ["refund", "parcel"], operatorIds: [1] })
        const texts = ["refund", "invoice", "thanks"]
        yield* writeAppeals(id, [{ revision: 2, subjectId: 9, operatorIds: [1, 2], texts }])
        const scope = { _tag: "Subject", subjectId: 9 } as const
        const former = { _tag: "Subject", subjectId: 1 } as const
        for (const [query, ids] of [
          [{ scope, query: "invoice" }, [1]],
          [{ scope: { _tag: "Participant", userId: 2 }, query: "refund" }, [1]],
          [{ query: "parcel" }, []],
          [{ scope: former, query: "refund" }, []],
          [{ scope: former }, []]
        ] as const)
          assert.deepStrictEqual(yield* foundIds(id, query), [...ids])
      })
    )
    it.effect("ignores a write or removal of an older revision", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals({ revision: 5, texts: ["refund"] })
        yield* write(id, [upsert(appeal({ revision: 4, texts: ["parcel"] })), removal(1, 3)])
        assert.deepStrictEqual(yield* foundIds(id, { query: "refund parcel" }), [1])
        assert.deepStrictEqual(yield* foundIds(id, { query: "parcel" }), [])
        yield* write(id, [removal(1, 6)])
        yield* writeAppeals(id, [{ revision: 5, texts: ["refund"] }])
        assert.deepStrictEqual(yield* foundIds(id), [])
        assert.deepStrictEqual(yield* foundIds(id, { query: "refund" }), [])
        yield* writeAppeals(id, [{ revision: 7, texts: ["refund"] }])
        assert.deepStrictEqual(yield* foundIds(id, { query: "refund" }), [1])
      })
    )
    it.effect("applies a step only from the current checkpoint", () =>
      Effect.gen(function* () {
        const projection = yield* AppealProjection
        const id = yield* indexAppeals({})
        const stale = { copy: "active", from: "elsewhere", to: indexCheckpoint(id, "9") } as const
        const refused = yield* Effect.flip(projection.apply(stale, [upsert(appeal({ documentId: 2 }))]))
        assert.strictEqual(refused._tag, "IndexCheckpointMoved")
        assert.deepStrictEqual([yield* checkpointOf(id), yield* foundIds(id)], ["1", [1]])
      })
    )
    it.effect("fails with search_index_not_ready until an instance was complete (contract §3.4)", () =>
      Effect.gen(function* () {
        const id = yield* newInstance
        const [index, projection] = [yield* AppealIndex, yield* AppealProjection]
        assert.strictEqual((yield* Effect.flip(searchAppeals(id))).reason, "search_index_not_ready")
        assert.isFalse((yield* index.status(id)).ready)
        const step = { copy: "active", from: null, to: indexCheckpoint(id, "1", false) } as const
        yield* projection.apply(step, [upsert(appeal({}))])
        assert.strictEqual((yield* Effect.flip(searchAppeals(id))).reason, "search_index_not_ready")
        yield* write(id, [])
        assert.deepStrictEqual(yield* foundIds(id), [1])
        const { ready, lagMillis, indexedAt } = yield* index.status(id)
        assert.deepStrictEqual(
          { ready, lagMillis, indexedAt },
          { ready: true, lagMillis: 0, indexedAt: firstDay }
        )
      })
    )
    it.effect("fails with search_index_not_ready while its writer has disabled it", () =>
      Effect.gen(function* () {
        const [index, projection] = [yield* AppealIndex, yield* AppealProjection]
        const id = yield* indexAppeals({})
        yield* projection.serve(false)
        assert.strictEqual((yield* Effect.flip(searchAppeals(id))).reason, "search_index_not_ready")
        assert.isFalse((yield* index.status(id)).ready)
        yield* projection.serve(true)
        assert.deepStrictEqual(yield* foundIds(id), [1])
      })
    )
    it.effect("reports the lag that its writer observed", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals()
        const [index, projection] = [yield* AppealIndex, yield* AppealProjection]
        yield* projection.observe(id, firstDay)
        assert.isAtLeast((yield* index.status(id)).lagMillis, 1)
        yield* projection.observe(id, null)
        assert.strictEqual((yield* index.status(id)).lagMillis, 0)
      })
    )
    it.effect("fails with timeout after its deadline (contract §3.4)", () =>
      Effect.gen(function* () {
        const id = yield* indexAppeals({ texts: ["refund"] })
        for (const query of [null, "refund"]) {
          const late = yield* Effect.flip(searchAppeals(id, { query, deadline: 1 }))
          assert.deepStrictEqual(
            [late._tag, late.source, late.reason],
            ["SourceUnavailable", "search", "timeout"]
          )
        }
      })
    )
  })

const copyLaws = (halves: Halves) =>
  layer(halves, live)("with an active and a building copy", (it) => {
    it.effect("answers from the active copy until the building copy is published", () =>
      Effect.gen(function* () {
        const projection = yield* AppealProjection
        const id = yield* indexAppeals({ texts: ["refund"] })
        assert.deepStrictEqual(yield* projection.checkpoints("building"), [])
        yield* projection.reset("building")
        yield* writeAppeals(id, [{ documentId: 2, texts: ["refund"] }], "building")
        assert.deepStrictEqual(yield* foundIds(id, { query: "refund" }), [1])
        yield* writeAppeals(id, [{ documentId: 3, texts: ["refund"] }])
        assert.deepStrictEqual([yield* foundIds(id), yield* checkpointOf(id, "building")], [[3, 1], "1"])
        yield* projection.publish
        assert.deepStrictEqual([yield* foundIds(id), yield* checkpointOf(id)], [[2], "1"])
        assert.deepStrictEqual(yield* projection.checkpoints("building"), [])
        yield* projection.reset("active")
        assert.strictEqual((yield* Effect.flip(searchAppeals(id))).reason, "search_index_not_ready")
        assert.isNull(yield* checkpointOf(id))
      })
    )
  })
