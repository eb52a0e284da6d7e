// The order of appeals by relevance.
import { assert, describe, it } from "@effect/vitest"
import { appeal } from "../../testing/EvidenceFixtures.ts"
import { termCounter, termsOf } from "../text/Terms.ts"
import { countedText, passagesOf } from "../text/Words.ts"
import { scoreAppeals, weightsOf } from "./EvidenceRanking.ts"
import type { RankedAppeal } from "./RankedAppeal.ts"

/** The scores of appeals as an index passes them to the ranking. Each transcript is one appeal. Ids begin at 1. */
const scoreTranscripts = (query: string, transcripts: ReadonlyArray<ReadonlyArray<string>>) => {
  const terms = termsOf(query)
  const count = termCounter(terms)
  const appeals = transcripts.map((texts, at): RankedAppeal => {
    const { passages, words } = passagesOf(appeal({ documentId: at + 1, texts }))
    return {
      documentId: at + 1,
      createdAt: 0,
      passages: passages.length,
      words,
      weight: 1,
      texts: passages.map(({ messageId, position, words, ...text }) => ({
        position,
        messageId,
        words,
        matches: true,
        counts: count(countedText(text))
      }))
    }
  })
  const sum = (of: (one: RankedAppeal) => number) => appeals.reduce((total, one) => total + of(one), 0)
  const statistics = {
    appeals: appeals.length,
    appealWords: sum(({ words }) => words),
    passages: sum(({ passages }) => passages),
    passageWords: sum(({ texts }) => texts.reduce((total, { words }) => total + words, 0))
  }
  return scoreAppeals(terms, weightsOf(terms, statistics, appeals), appeals)
}
const order = (query: string, transcripts: ReadonlyArray<ReadonlyArray<string>>) =>
  scoreTranscripts(query, transcripts).map(({ appeal }) => appeal.documentId)
/** In the order of the transcripts. */
const scores = (query: string, transcripts: ReadonlyArray<ReadonlyArray<string>>) =>
  scoreTranscripts(query, transcripts)
    .toSorted((a, b) => a.appeal.documentId - b.appeal.documentId)
    .map(({ score }) => score)

const rest = (length: number) => Array.from({ length }, (_, at) => `Інше ${at}`)

describe("scoreAppeals", () => {
  it("ranks an appeal that begins with the words above one that mentions them later", () => {
    const [wanted, other] = ["Поверніть мої кошти за квиток", "Чекайте одну хвилину, будь ласка"]
    // Otherwise both have the same words, and the newest would be first.
    const ids = order("повернення коштів", [
      [wanted, other, other],
      [other, other, wanted]
    ])
    assert.deepStrictEqual(ids, [1, 2])
  })

  it("gives the beginning of a long appeal less weight", () => {
    const [wanted, other] = ["Поверніть мої кошти за квиток", "Чекайте одну хвилину, будь ласка"]
    const talk = (length: number) => [wanted, ...Array.from({ length }, () => other)]
    // The appeals differ only in their beginning.
    const lead = (length: number): number => {
      const [first = 0, second = 0] = scores("повернення коштів", [talk(length), talk(length).toReversed()])
      return first - second
    }
    assert.isAbove(lead(5), 0)
    assert.isBelow(lead(39), lead(5) / 2)
  })

  it("has longer passages in a long appeal than in a short one", () => {
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

  it("ignores question words at the beginning", () => {
    const ids = order("коли приїде кур'єр", [
      ["Коли це буде?", "Не знаю", "Нескоро"],
      ["Посилка", "Не знаю", "Кур'єр приїде завтра"]
    ])
    assert.deepStrictEqual(ids[0], 2)
  })
})
