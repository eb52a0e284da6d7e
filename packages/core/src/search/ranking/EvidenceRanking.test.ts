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
