// The goldens name existing appeals on every day that the demo may count back from.
import { assert, describe, it } from "@effect/vitest"
import { byAppeal, gather, midnight } from "@rapport/demo/DemoDataFixtures.ts"
import { demoAppeals } from "./DemoAppeals.ts"
import { missedIds, rankingGoldens } from "./RankingGoldens.ts"

const DAY_MILLIS = 86_400_000
// All weekdays and months: the texts of the demo depend on both.
const days = Array.from({ length: 14 }, (_, i) => midnight + i * 29 * DAY_MILLIS)

describe("the ranking goldens", () => {
  it("the appeals of the goldens are those that the seed makes", () => {
    const small = gather("small")
    const texts = byAppeal(small("appealMessages"))
    const known = new Map(demoAppeals(midnight).map((appeal) => [appeal.id, appeal]))
    for (const { createdAt, id, instanceId, title } of small("appeals")) {
      if (instanceId !== 1) continue
      const text = [title ?? "", ...(texts.get(id) ?? []).map((message) => message.text)].join("\n")
      assert.deepInclude(known.get(id), { createdAt, text }, String(id))
    }
  })

  it.each(days)("each golden wants appeals with a text on day %d", (day) => {
    const appeals = demoAppeals(day)
    for (const golden of rankingGoldens) {
      const wanted = golden.wanted(appeals)
      assert.isNotEmpty(wanted, golden.name)
      assert.isAtMost(wanted.length, 5, golden.name)
      for (const id of wanted)
        assert.isNotEmpty(appeals.find((appeal) => appeal.id === id)?.text.trim() ?? "", golden.name)
      assert.isNotEmpty(missedIds(golden, appeals, []), "an empty answer misses all of it")
      assert.isEmpty(missedIds(golden, appeals, wanted), golden.name)
    }
  })
})
