import { assert, describe, it } from "@effect/vitest"
import { anyAt, mean, ndcgAt, percentile, recallAt, reciprocalRankAt, snippetHit } from "./Metrics.ts"

const near = (actual: number, expected: number) => assert.closeTo(actual, expected, 1e-9)
const words = (...ids: ReadonlyArray<string>) => new Set(ids)
const set = (...ids: ReadonlyArray<number>) => new Set(ids)

describe("recallAt (docs/retrieval-figures.md)", () => {
  it.each([
    ["is the share of the wanted ids", 3, [1, 2, 3], set(1, 3, 9), 2 / 3],
    ["counts only the first k ids", 2, [1, 2, 3], set(3), 0],
    ["is below 1 if more than k ids are wanted", 2, [1, 2, 3], set(1, 2, 3, 4), 0.5],
    ["accepts an answer shorter than k", 10, [7], set(7, 8), 0.5],
    ["counts a repeated id once", 3, [1, 1, 2], set(1, 2), 1],
    ["is 0 if no id is wanted", 5, [1], set(), 0]
  ])("%s", (_, k, ranked, gold, expected) => near(recallAt(k, ranked, gold), expected))
})

describe("anyAt", () => {
  it.each([
    ["is 1 with one of several wanted ids", 8, [5, 6, 1], set(1, 2, 3), 1],
    ["is 0 without a wanted id", 8, [5, 6], set(1), 0],
    ["needs only one of the wanted ids", 1, [1, 2], set(1, 2), 1]
  ])("%s", (_, k, ranked, gold, expected) => near(anyAt(k, ranked, gold), expected))
})

describe("ndcgAt", () => {
  const [first, second, third] = [1, 1 / Math.log2(3), 1 / 2]
  it.each([
    ["is 1 if the wanted ids come first", 10, [1, 2, 3], set(1, 2), 1],
    ["decreases with the place", 10, [9, 1], set(1), second],
    ["is relative to the best possible order", 10, [1, 9, 2], set(1, 2), (first + third) / (first + second)],
    ["is relative to k places if more ids are wanted", 2, [1, 2], set(1, 2, 3, 4), 1],
    ["is 0 beyond k", 2, [8, 9, 1], set(1), 0],
    ["ignores a repeated id", 10, [1, 1], set(1, 2), first / (first + second)]
  ])("%s", (_, k, ranked, gold, expected) => near(ndcgAt(k, ranked, gold), expected))
})

describe("reciprocalRankAt", () => {
  it.each([
    ["is 1 divided by the place of the first relevant id", 8, [false, false, true, true], 1 / 3],
    ["counts the k-th place", 3, [false, false, true], 1 / 3],
    ["is 0 beyond k", 2, [false, false, true], 0],
    ["is 0 for an empty answer", 8, [], 0]
  ])("%s", (_, k, relevant, expected) => near(reciprocalRankAt(k, relevant), expected))
})

describe("snippetHit", () => {
  const transcripts = [
    ["a1", "a2", "a3", "a4"],
    ["b1", "b2"]
  ]
  it.each([
    ["is 1 if a snippet has an evidence turn", words("a2"), words("a2"), 1],
    ["is 1 for the turn after an evidence turn", words("a3"), words("a2"), 1],
    ["is 0 for a turn further away", words("a4"), words("a2"), 0],
    ["is 0 for turns of other places if the evidence is the first turn", words("a4", "b1"), words("a1"), 0],
    ["is 0 for the last turn of the previous session", words("a4"), words("b1"), 0],
    ["is 1 for one of several evidence turns", words("b2"), words("a1", "b1"), 1]
  ])("%s", (_, shown, evidence, expected) => near(snippetHit(shown, evidence, transcripts), expected))
})

describe("mean and percentile", () => {
  it("are 0 without values", () => {
    near(mean([]), 0)
    near(percentile(0.95, []), 0)
  })
  it.each([
    ["is the middle of an odd number of values", 0.5, [3, 1, 2], 2],
    ["is the lower middle of an even number of values", 0.5, [4, 1, 3, 2], 2],
    ["is not changed by one of 21 values", 0.95, [...Array.from({ length: 20 }, () => 1), 9], 1],
    ["is the largest value if the share reaches it", 0.95, [1, 2, 3, 9], 9]
  ])("%s", (_, share, values, expected) => near(percentile(share, values), expected))
})
