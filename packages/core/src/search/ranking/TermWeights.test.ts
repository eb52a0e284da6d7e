// What a term weighs, by how rare it is among the texts of a scope.
import { assert, describe, it } from "@effect/vitest"
import { ranked } from "../../testing/RankingFixtures.ts"

describe("weightsOf", () => {
  it("weighs a rare word more than a common one, in passages and in wholes", () => {
    const { weights } = ranked("parcel refund", [["refund parcel"], ["refund"], ["refund"], ["other"]])
    assert.isAbove(weights.passage[0] ?? 0, weights.passage[1] ?? 0)
    assert.isAbove(weights.whole[0] ?? 0, weights.whole[1] ?? 0)
  })

  it("lets two common words say more than one rare word does", () => {
    const common = Array.from({ length: 20 }, () => ["refund parcel"])
    const { weights } = ranked("refund parcel scanner", [
      ["scanner"],
      ...common,
      ...common.map(() => ["other"])
    ])
    const [refund = 0, parcel = 0, scanner = 0] = weights.passage
    assert.isAbove(scanner, refund)
    // 0.74; 0.43 if the rarity were taken as it is.
    assert.isAbove((refund + parcel) / scanner, 0.5)
  })

  it("does not take a word for common that one appeal repeats all the time", () => {
    const others = Array.from({ length: 30 }, () => ["other"])
    const often = ranked("refund", [Array.from({ length: 60 }, () => "refund"), ...others])
    const less = ranked("refund", [Array.from({ length: 20 }, () => "refund"), ...others])
    assert.isAtLeast(often.weights.passage[0] ?? 0, less.weights.passage[0] ?? 0)
  })
})
