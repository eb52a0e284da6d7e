import { assert, describe, it } from "@effect/vitest"
import { anyAt, mean, ndcgAt, percentile, recallAt, reciprocalRankAt, snippetHit } from "./Metrics.ts"

const near = (actual: number, expected: number) => assert.closeTo(actual, expected, 1e-9)
const words = (...ids: ReadonlyArray<string>) => new Set(ids)
const set = (...ids: ReadonlyArray<number>) => new Set(ids)

describe("recallAt (docs/retrieval-figures.md)", () => {
  it.each([
    ["is the share of what is wanted", 3, [1, 2, 3], set(1, 3, 9), 2 / 3],
    ["looks at the first k alone", 2, [1, 2, 3], set(3), 0],
    ["counts the k-th", 3, [1, 2, 3], set(3), 1],
    ["cannot be whole where more is wanted than k", 2, [1, 2, 3], set(1, 2, 3, 4), 0.5],
    ["takes an answer shorter than k as it is", 10, [7], set(7, 8), 0.5],
    ["is 0 of an empty answer", 5, [], set(1), 0],
    ["counts an id once that is ranked twice", 3, [1, 1, 2], set(1, 2), 1],
    ["does not let a repeated id push others out", 2, [1, 1, 2], set(2), 1],
    ["is 0 where nothing is wanted", 5, [1], set(), 0]
  ])("%s", (_, k, ranked, gold, expected) => near(recallAt(k, ranked, gold), expected))

  it("has a session that holds several evidence turns once among what is wanted", () =>
    near(recallAt(1, [4], set(4, 4, 4)), 1))
})

describe("anyAt", () => {
  it.each([
    ["is 1 with one of many", 8, [5, 6, 1], set(1, 2, 3), 1],
    ["is 0 with none", 8, [5, 6], set(1), 0],
    ["at 1 is the hit rate of the first place", 1, [1, 2], set(2), 0],
    ["at 1 asks for one of the wanted, not for all", 1, [1, 2], set(1, 2), 1]
  ])("%s", (_, k, ranked, gold, expected) => near(anyAt(k, ranked, gold), expected))
})

describe("ndcgAt", () => {
  const [first, second, third] = [1, 1 / Math.log2(3), 1 / 2]
  it.each([
    ["is 1 when all that is wanted comes first", 10, [1, 2, 3], set(1, 2), 1],
    ["does not mind the order among what is wanted", 10, [2, 1, 3], set(1, 2), 1],
    ["falls with the place", 10, [9, 1], set(1), second],
    ["compares with the best that is possible", 10, [1, 9, 2], set(1, 2), (first + third) / (first + second)],
    ["takes the best of k places where more is wanted than k", 2, [1, 2], set(1, 2, 3, 4), 1],
    ["is 0 beyond k", 2, [8, 9, 1], set(1), 0],
    ["is 0 of an empty answer", 10, [], set(1), 0],
    ["gains nothing from an id ranked twice", 10, [1, 1], set(1, 2), first / (first + second)]
  ])("%s", (_, k, ranked, gold, expected) => near(ndcgAt(k, ranked, gold), expected))
})

describe("reciprocalRankAt", () => {
  it.each([
    ["is 1 at the first place", 8, [true, false], 1],
    ["is 1 over the place of the first that is relevant", 8, [false, false, true, true], 1 / 3],
    ["counts the k-th place", 3, [false, false, true], 1 / 3],
    ["is 0 beyond k", 2, [false, false, true], 0],
    ["is 0 of an empty answer", 8, [], 0]
  ])("%s", (_, k, relevant, expected) => near(reciprocalRankAt(k, relevant), expected))
})

describe("snippetHit", () => {
  const transcripts = [
    ["a1", "a2", "a3", "a4"],
    ["b1", "b2"]
  ]
  it.each([
    ["an evidence turn stands in a snippet", words("a2"), words("a2"), 1],
    ["the turn before it does", words("a1"), words("a2"), 1],
    ["the turn after it does", words("a3"), words("a2"), 1],
    ["two turns away is no neighbour", words("a4"), words("a2"), 0],
    ["the first has no turn before it", words("a4", "b1"), words("a1"), 0],
    ["the end of one session is no neighbour of the next one's beginning", words("a4"), words("b1"), 0],
    ["one of several is enough", words("b2"), words("a1", "b1"), 1],
    ["no snippets", words(), words("a1"), 0],
    ["an evidence turn that no session has", words("a1"), words("c9"), 0]
  ])("%s", (_, shown, evidence, expected) => near(snippetHit(shown, evidence, transcripts), expected))
})

describe("mean and percentile", () => {
  it("are 0 of nothing", () => {
    near(mean([]), 0)
    near(percentile(0.95, []), 0)
  })
  it.each([
    ["the middle of an odd number", 0.5, [3, 1, 2], 2],
    ["the lower middle of an even number", 0.5, [4, 1, 3, 2], 2],
    ["equal values", 0.95, [7, 7, 7], 7],
    ["a tail that a twentieth does not reach", 0.95, [...Array.from({ length: 20 }, () => 1), 9], 1],
    ["the largest where the share falls on it", 0.95, [1, 2, 3, 9], 9],
    ["a single value", 0.5, [5], 5]
  ])("%s", (_, share, values, expected) => near(percentile(share, values), expected))
})
