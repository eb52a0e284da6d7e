// The search among the texts of one client who has few: all of them are read once.
import { APPEALS_COUNTED_MAX } from "@rapport/core/search/text/Readings.ts"
import type { DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import { passes } from "@rapport/core/search/EvidenceFilter.ts"
import { candidatesOf, scoreAppeals, weightsOf } from "@rapport/core/search/ranking/EvidenceRanking.ts"
import type { RankedAppeal } from "@rapport/core/search/ranking/RankedAppeal.ts"
import {
  type EvidenceTerms,
  type TermCounts,
  TERM_COUNTS,
  termCounter
} from "@rapport/core/search/text/Terms.ts"
import { Effect } from "effect"
import { nullableNumberAt, numberAt, type ReadFile, rowOf, textAt } from "./EvidenceFile.ts"
import { type EvidenceScope, headerColumns, headerOf, type VisibleTexts } from "./EvidenceScope.ts"
import { positionOf, rowAt, saidText } from "./EvidenceRows.ts"

interface ScannedText {
  readonly position: number
  readonly messageId: number | null
  readonly words: number
  readonly names: number
  readonly text: string
}

interface ScannedAppeal extends Omit<RankedAppeal, "texts"> {
  readonly texts: ReadonlyArray<ScannedText>
}

export interface ScannedTexts extends VisibleTexts<never> {
  /** The newest first. */
  readonly appeals: ReadonlyArray<ScannedAppeal>
}

/** Appeals read before other searches are let in. */
const APPEALS_AT_ONCE = 32

/** The visible appeals of the client with their texts. */
export const scanned = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  { scope, ...query }: DocumentQuery,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<ScannedTexts, E> {
  const passing = passes(query)
  const clientId = scope._tag === "Client" ? scope.clientId : 0
  const rows = file
    .read(
      `select ${headerColumns}, a.ref from appeal a where a.instance = ? and a.client = ? order by a.ref desc`
    )
    .all(query.instanceId, clientId)
    .map(rowOf)
  const appeals: Array<ScannedAppeal> = []
  for (const [at, row] of rows.entries()) {
    if (at % APPEALS_AT_ONCE === APPEALS_AT_ONCE - 1) yield* pause
    if (!passing(headerOf(row))) continue
    appeals.push({
      documentId: numberAt(row, 0),
      createdAt: numberAt(row, 1),
      passages: numberAt(row, 8),
      words: numberAt(row, 9),
      weight: 1,
      texts: textsOf(file, numberAt(row, 10))
    })
  }
  return { appeals, ...wordsOf(appeals) }
})

const textsOf = (file: ReadFile, ref: number): ReadonlyArray<ScannedText> =>
  file
    .read("select row, message, words, names, text from passage where row >= ? and row < ? order by row")
    .all(rowAt(ref, 0), rowAt(ref + 1, 0))
    .map((found) => {
      const row = rowOf(found)
      return {
        position: positionOf(numberAt(row, 0)),
        messageId: nullableNumberAt(row, 1),
        words: numberAt(row, 2),
        names: numberAt(row, 3),
        text: textAt(row, 4)
      }
    })

const wordsOf = (appeals: ReadonlyArray<ScannedAppeal>): VisibleTexts<never> => {
  const texts = appeals.map(({ texts }) => texts.toReversed())
  return {
    present: (wanted, textsMax) =>
      Effect.sync(() => {
        const stems = [...new Set(wanted)]
        const stemsIn = stemsMet(stems)
        const found = new Set<string>()
        let seen = 0
        for (const text of texts.flat()) {
          if (found.size === stems.length || seen === textsMax) break
          const before = found.size
          for (const stem of stemsIn(text)) found.add(stem)
          if (found.size > before) seen++
        }
        return found
      }),
    appealsWith: (stem) =>
      Effect.sync(() => {
        const stemsIn = stemsMet([stem])
        const holding = texts.filter((own) => own.some((text) => stemsIn(text).length > 0))
        return Math.min(APPEALS_COUNTED_MAX, holding.length)
      })
  }
}

/** Those of the stems that a text has, the speaker's name left out. */
const stemsMet = (stems: ReadonlyArray<string>) => {
  const count = termCounter({ stems, matching: stems.length, spelled: new Set(), pairs: [], dates: [] })
  return ({ names, text }: ScannedText): ReadonlyArray<string> => {
    const { terms } = count(saidText(text, names))
    return stems.filter((_, place) => {
      for (let at = 0; at < terms.length; at += TERM_COUNTS)
        if (terms[at] === place) return (terms[at + 1] ?? 0) > 0
      return false
    })
  }
}

/** Ranks the appeals of which a text matches. */
export const relevantScanned = (
  { appeals }: ScannedTexts,
  { limit, passagesPerDocument }: DocumentQuery,
  { statistics }: EvidenceScope,
  terms: EvidenceTerms
) => {
  const count = termCounter(terms)
  const isMatch = (counts: TermCounts): boolean => {
    for (let at = 0; at < counts.terms.length; at += TERM_COUNTS)
      if ((counts.terms[at] ?? 0) < terms.matching) return true
    return false
  }
  const matched = appeals
    .map((appeal) => ({
      ...appeal,
      texts: appeal.texts.map(({ names, text, ...one }) => {
        const counts = count(text)
        // The speaker's name makes no match.
        const matches = isMatch(counts) && (names === 0 || isMatch(count(saidText(text, names))))
        return { ...one, matches, counts }
      })
    }))
    .filter(({ texts }) => texts.some(({ matches }) => matches))
  const ranked = scoreAppeals(terms, weightsOf(terms, statistics, matched), matched)
  return {
    candidates: candidatesOf(ranked.slice(0, limit), passagesPerDocument),
    more: ranked.length > limit
  }
}
