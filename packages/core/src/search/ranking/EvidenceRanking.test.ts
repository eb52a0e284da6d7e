// What makes one appeal stand above another.
import { assert, describe, it } from "@effect/vitest"
import { ranked } from "../../testing/RankingFixtures.ts"
import { scoreAppeals } from "./EvidenceRanking.ts"

const scored = (query: string, transcripts: ReadonlyArray<ReadonlyArray<string>>) => {
  const { appeals, terms, weights } = ranked(query, transcripts)
  return scoreAppeals(terms, weights, appeals)
}
const order = (query: string, transcripts: ReadonlyArray<ReadonlyArray<string>>) =>
  scored(query, transcripts).map(({ appeal }) => appeal.documentId)
/** In the order of the transcripts. */
const scores = (query: string, transcripts: ReadonlyArray<ReadonlyArray<string>>) =>
  scored(query, transcripts)
    .toSorted((a, b) => a.appeal.documentId - b.appeal.documentId)
    .map(({ score }) => score)

const rest = (length: number) => Array.from({ length }, (_, at) => `Інше ${at}`)

describe("scoreAppeals", () => {
  it("puts the appeal that begins with the words above one that only mentions them", () => {
    const [wanted, other] = ["Поверніть мої кошти за квиток", "Чекайте одну хвилину, будь ласка"]
    // The same words otherwise, so that the newest would stand first.
    const ids = order("повернення коштів", [
      [wanted, other, other],
      [other, other, wanted]
    ])
    assert.deepStrictEqual(ids, [1, 2])
  })

  it("weighs the beginning of a long appeal less", () => {
    const [wanted, other] = ["Поверніть мої кошти за квиток", "Чекайте одну хвилину, будь ласка"]
    const talk = (length: number) => [wanted, ...Array.from({ length }, () => other)]
    // Nothing but the opening differs: a word at the end weighs the same in both.
    const lead = (length: number): number => {
      const [first = 0, second = 0] = scores("повернення коштів", [talk(length), talk(length).toReversed()])
      return first - second
    }
    assert.isAbove(lead(5), 0)
    assert.isBelow(lead(39), lead(5) / 2)
  })

  it("reads more messages as one passage in a long appeal than in a short one", () => {
    const spread = ["Курʼєр", "Так", "посилку", "Так", "не привіз"]
    const apart = ["Курʼєр", "Так", "Так", "Так", "посилку", "Так", "Так", "Так", "не привіз"]
    const lead = (length: number): number => {
      const [together = 0, scattered = 0] = scores("курʼєр не привіз посилку", [
        [...rest(8), ...spread, ...rest(length)],
        [...rest(4), ...apart, ...rest(length)]
      ])
      return together - scattered
    }
    assert.isAbove(lead(20), 1)
  })

  it("does not weigh words that only ask at the beginning", () => {
    const ids = order("коли приїде кур'єр", [
      ["Коли це буде?", "Не знаю", "Нескоро"],
      ["Посилка", "Не знаю", "Кур'єр приїде завтра"]
    ])
    assert.deepStrictEqual(ids[0], 2)
  })
})

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
