import { assert, it } from "@effect/vitest"
import { termsOf } from "../text/Terms.ts"
import { relevanceOf } from "./Relevance.ts"

const everywhere = () => true

it("relevance keeps the order of scores and lies in 0…1", () => {
  const { estimate } = relevanceOf(termsOf("де моя посилка з Одеси"), everywhere)
  const shares = [0, 1, 4, 8, 12, 30, 1_000].map(estimate)
  assert.deepStrictEqual(
    shares,
    shares.toSorted((a, b) => a - b)
  )
  assert.isTrue(shares.every((share) => share >= 0 && share <= 1))
})

it("relevance of the same score is lower for a query of more words", () => {
  const [short, long] = ["возврат", "возврат денег за просроченный билет"].map((query) =>
    relevanceOf(termsOf(query), everywhere).estimate(6)
  )
  assert.isAbove(short ?? 0, long ?? 1)
})

it("relevance is lower if words of the query occur nowhere", () => {
  const terms = termsOf("refund of the cracked aquarium")
  const all = relevanceOf(terms, everywhere).estimate(8)
  const some = relevanceOf(terms, (stem) => stem === "refund").estimate(8)
  assert.isAbove(all, 2 * some)
})
