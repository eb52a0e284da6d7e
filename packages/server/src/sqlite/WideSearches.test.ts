// Wide searches run one after the other, so that some meet their deadline where all in parallel would miss it (contract §3.4).
import { assert, it } from "@effect/vitest"
import { everyDocument, type DocumentQuery, type DocumentScope } from "@rapport/core/search/DocumentIndex.ts"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeWideSearches } from "./EvidenceIndexSqlite.ts"

const group: DocumentScope = { _tag: "Group", subjectIds: [1, 2], userIds: [] }
const queryOf = (more: Partial<DocumentQuery> = {}): DocumentQuery => ({
  instanceId: 1,
  scope: group,
  visibility: everyDocument,
  query: "рахунок",
  from: null,
  to: null,
  limit: 80,
  passagesPerDocument: 3,
  deadline: 2_000,
  ...more
})

/** Searches that take 150 ms, multiplied by the number of concurrent ones. */
const makeIndex = () => {
  const oneByOne = makeWideSearches()
  let running = 0
  let most = 0
  const work = Effect.gen(function* () {
    most = Math.max(most, ++running)
    for (let step = 0; step < 30; step++) yield* Effect.sleep(5 * running)
    running--
    return yield* Clock.currentTimeMillis
  })
  return { search: (query: DocumentQuery) => oneByOne(query, work), most: () => most }
}

const together = (queries: ReadonlyArray<DocumentQuery>) =>
  Effect.gen(function* () {
    const index = makeIndex()
    const fibers = yield* Effect.forEach(queries, (query) =>
      Effect.forkChild(Effect.result(index.search(query)), { startImmediately: true })
    )
    yield* TestClock.adjust(10_000)
    const ends = yield* Effect.forEach(fibers, Fiber.join)
    return {
      most: index.most(),
      ends: ends.map((end) => (end._tag === "Success" ? end.success : end.failure.reason))
    }
  })

it.effect("concurrent wide searches run one by one, and those that would be late are refused", () =>
  Effect.gen(function* () {
    const { ends, most } = yield* together(Array.from({ length: 32 }, () => queryOf()))
    assert.strictEqual(most, 1)
    const found = ends.filter((end) => typeof end === "number")
    assert.isAtLeast(found.length, 11)
    assert.isTrue(found.every((at) => at <= 2_000))
    assert.deepStrictEqual([...new Set(ends.filter((end) => typeof end !== "number"))], ["timeout"])
  })
)

it.effect("a wide search of another instance does not wait for a flood", () =>
  Effect.gen(function* () {
    const flood = Array.from({ length: 32 }, () => queryOf())
    const { ends } = yield* together([...flood, queryOf({ instanceId: 2 })])
    assert.isAtMost(Number(ends.at(-1)), 400)
  })
)

it.effect("searches of a client and of the latest appeals do not wait for wide searches", () =>
  Effect.gen(function* () {
    const client = queryOf({ scope: { _tag: "Client", clientId: 501 } })
    const { most } = yield* together([queryOf(), queryOf(), client, client, queryOf({ query: null })])
    assert.strictEqual(most, 4)
  })
)
