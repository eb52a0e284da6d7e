// Searches that meet get more threads, a lone one none, and what a thread cannot answer the one that writes does.
import { assert, describe, it } from "@effect/vitest"
import { everyDocument } from "@rapport/core/search/DocumentIndex.ts"
import { Deferred, Effect, Fiber } from "effect"
import { RpcClientDefect, RpcClientError } from "effect/rpc/RpcClientError"
import { TestClock } from "effect/testing"
import { type Found, IndexFault, type Query } from "./IndexRpc.ts"
import { makeReaderThreads } from "./EvidenceIndexSqlite.ts"
import { READER_IDLE_MILLIS, READER_PAUSE_MILLIS } from "./SqliteLimits.ts"

const query: typeof Query.Type = {
  instanceId: 1,
  scope: { _tag: "Subject", subjectId: 1 },
  visibility: everyDocument,
  query: "посилка не прийшла",
  from: null,
  to: null,
  limit: 80,
  passagesPerDocument: 3,
  deadline: 2_000
}
/** Named by who found it. */
const foundBy = (thread: string): typeof Found.Type => ({
  documentIds: [],
  scores: [],
  counts: [],
  messageIds: [],
  messageScores: [],
  more: false,
  readings: [{ word: thread, readAs: thread, why: "spelling" }]
})
const lost = new RpcClientError({ reason: new RpcClientDefect({ message: "the thread ended", cause: null }) })
const damaged = new IndexFault({ reason: "search_index_not_ready", detail: "malformed" })
const late = new IndexFault({ reason: "timeout", detail: "deadline passed" })

const found = (thread: string) => Effect.as(Effect.sleep(100), foundBy(thread))

/** Threads whose searches take 100 ms, or fail as said. */
const threads = Effect.fnUntraced(function* (max: number, fault?: IndexFault | RpcClientError) {
  const seen = { started: 0, ended: 0, failing: fault, starts: true }
  const reader = Effect.gen(function* () {
    const name = `reader ${++seen.started}`
    if (!seen.starts) return yield* lost
    yield* Effect.addFinalizer(() => Effect.sync(() => seen.ended++))
    return () => (seen.failing === undefined ? found(name) : Effect.fail(seen.failing))
  })
  const made = yield* makeReaderThreads(() => found("writer"), max, reader)
  /** Who answered each of so many at once. */
  const together = Effect.fnUntraced(function* (count: number) {
    const fibers = yield* Effect.forEach(Array.from({ length: count }), () =>
      Effect.forkChild(Effect.result(made.search(query)), { startImmediately: true })
    )
    yield* TestClock.adjust(300)
    const answers = yield* Effect.forEach(fibers, Fiber.join)
    return answers.map((one) =>
      one._tag === "Success" ? one.success.readings[0]?.word : String(Reflect.get(one.failure, "reason"))
    )
  })
  return { ...made, seen, together }
})

describe("reader threads", () => {
  it.effect("a lone search needs none", () =>
    Effect.gen(function* () {
      const { seen, together } = yield* threads(3)
      for (let at = 0; at < 3; at++) assert.deepStrictEqual(yield* together(1), ["writer"])
      assert.strictEqual(seen.started, 0)
    })
  )

  it.effect("searches that meet are spread over so many as are allowed", () =>
    Effect.gen(function* () {
      const { seen, together } = yield* threads(2)
      for (let at = 0; at < 4; at++) yield* together(6)
      assert.strictEqual(seen.started, 2)
      assert.sameMembers(yield* together(6), [
        "writer",
        "writer",
        "reader 1",
        "reader 1",
        "reader 2",
        "reader 2"
      ])
    })
  )

  it.effect("a search beside a batch that is written goes to another thread", () =>
    Effect.gen(function* () {
      const { together, writing } = yield* threads(1)
      yield* together(2)
      const written = yield* Deferred.make<void>()
      const batch = yield* Effect.forkChild(writing(Deferred.await(written)), { startImmediately: true })
      assert.deepStrictEqual(yield* together(1), ["reader 1"])
      yield* Deferred.succeed(written, undefined)
      yield* Fiber.join(batch)
      assert.deepStrictEqual(yield* together(1), ["writer"])
    })
  )

  it.effect("a thread that nobody asks ends, and comes again when it is needed", () =>
    Effect.gen(function* () {
      const { seen, together } = yield* threads(1)
      yield* together(2)
      yield* TestClock.adjust(READER_IDLE_MILLIS / 2)
      yield* together(2)
      yield* TestClock.adjust(READER_IDLE_MILLIS / 2)
      assert.deepStrictEqual([seen.started, seen.ended], [1, 0])
      yield* TestClock.adjust(2 * READER_IDLE_MILLIS)
      assert.deepStrictEqual([seen.started, seen.ended], [1, 1])
      assert.deepStrictEqual(yield* together(1), ["writer"])
      yield* together(2)
      assert.include(yield* together(2), "reader 2")
    })
  )

  for (const [name, fault, ended] of [
    ["that finds its file damaged", damaged, 0],
    ["that was lost", lost, 1]
  ] as const)
    it.effect(`what a thread ${name} was asked the one that writes answers`, () =>
      Effect.gen(function* () {
        const { seen, together } = yield* threads(1)
        yield* together(2)
        seen.failing = fault
        assert.deepStrictEqual(yield* together(4), ["writer", "writer", "writer", "writer"])
        assert.strictEqual(seen.ended, ended)
        yield* together(4)
        assert.strictEqual(seen.started, 1)
        yield* TestClock.adjust(READER_PAUSE_MILLIS)
        yield* together(4)
        assert.strictEqual(seen.started, 1 + ended)
      })
    )

  it.effect("what is too late in a thread is not searched for again", () =>
    Effect.gen(function* () {
      const { seen, together } = yield* threads(1)
      yield* together(2)
      seen.failing = late
      assert.sameMembers(yield* together(2), ["writer", "timeout"])
    })
  )

  it.effect("a thread that does not come is not tried again at once", () =>
    Effect.gen(function* () {
      const { seen, together } = yield* threads(1)
      seen.starts = false
      for (let at = 0; at < 3; at++) assert.deepStrictEqual(yield* together(2), ["writer", "writer"])
      assert.strictEqual(seen.started, 1)
      yield* TestClock.adjust(READER_PAUSE_MILLIS)
      seen.starts = true
      yield* together(2)
      assert.include(yield* together(2), "reader 2")
    })
  )
})
