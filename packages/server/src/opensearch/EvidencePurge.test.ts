// When and how often removed documents are purged from an index in OpenSearch. A node cannot be made to keep deleted
// documents, so this test stubs its answers; EvidencePurge.int.test.ts uses a real node.
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { makePurge } from "./EvidencePurge.ts"
import type { OpenSearch } from "./OpenSearch.ts"
import { OpenSearchFault } from "./OpenSearchFault.ts"

interface State {
  deleted: number
  isGone: boolean
  merges: number
  readonly marks: Array<string>
  /** Runs while a mark is written. */
  meanwhile: Effect.Effect<void, OpenSearchFault>
}

/** An engine with `deleted` documents; `merges` and `marks` are the requests it received. */
const engine = () => {
  const state: State = {
    deleted: 1,
    isGone: false,
    merges: 0,
    marks: [],
    meanwhile: Effect.void
  }
  const call: OpenSearch["Service"]["call"] = (schema, { body, method, path }) =>
    Effect.gen(function* () {
      if (state.isGone)
        return yield* new OpenSearchFault({ kind: "missing", status: 404, detail: "no such index" })
      if (path.endsWith("/_forcemerge")) state.merges++
      if (method === "PUT" && path.endsWith("/_mapping")) {
        yield* state.meanwhile
        state.marks.push(JSON.stringify(body))
      }
      const answer = path.endsWith("/_stats/docs")
        ? { _all: { total: { docs: { deleted: state.deleted } } } }
        : { index: { mappings: { _meta: {} } } }
      return yield* Effect.orDie(Schema.decodeUnknownEffect(schema)(answer))
    })
  return { state, purge: makePurge({ call }) }
}

const PURGE = '{"_meta":{"purge":true}}'
const CLEAN = '{"_meta":{"purge":false}}'

it.effect("a purge of OpenSearch is repeated with growing delays until nothing deleted remains", () =>
  Effect.gen(function* () {
    const { purge, state } = engine()
    yield* purge.start
    yield* purge.note("index", true)
    const rounds = [35, 120, 600, 1_200, 2_400].map((seconds) => seconds * 1_000)
    let now = 0
    for (const [done, at] of rounds.entries()) {
      yield* TestClock.adjust(at - now - 2_000)
      assert.strictEqual(state.merges, done)
      yield* TestClock.adjust(4_000)
      now = at + 2_000
      assert.strictEqual(state.merges, done + 1)
    }
    assert.deepStrictEqual(state.marks, [PURGE])
    state.deleted = 0
    yield* TestClock.adjust("45 minutes")
    assert.strictEqual(state.merges, rounds.length + 1)
    assert.deepStrictEqual(state.marks, [PURGE, CLEAN])
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(state.merges, rounds.length + 1)
  })
)

it.effect("a purge of OpenSearch is repeated when a removal comes during the last one", () =>
  Effect.gen(function* () {
    const { purge, state } = engine()
    yield* purge.start
    yield* purge.note("index", true)
    state.deleted = 0
    state.meanwhile = Effect.suspend(() => {
      state.meanwhile = Effect.void
      return purge.note("index", true)
    })
    yield* TestClock.adjust("36 seconds")
    assert.deepStrictEqual(state.marks, [PURGE, CLEAN, PURGE])
    yield* TestClock.adjust("36 seconds")
    assert.strictEqual(state.merges, 2)
    assert.strictEqual(state.marks.at(-1), CLEAN)
  })
)
