// Appeals as an index passes them to the ranking, with the weights of the words of a query.
import type { RankedAppeal } from "../search/ranking/RankedAppeal.ts"
import { weightsOf } from "../search/ranking/EvidenceRanking.ts"
import { countedText, passagesOf } from "../search/text/Words.ts"
import { termCounter, termsOf } from "../search/text/Terms.ts"
import { appeal } from "./EvidenceFixtures.ts"

/** Each transcript is one appeal. Ids begin at 1. */
export const rankingOf = (query: string, transcripts: ReadonlyArray<ReadonlyArray<string>>) => {
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
  return { appeals, terms, weights: weightsOf(terms, statistics, appeals) }
}
