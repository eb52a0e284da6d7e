// What a query asks for: the words that must be met, as stems with their spellings, and the dates that it names.
import { askingStems, commonStems } from "./AskingWords.ts"
import { datesOf, type QueryDate } from "./QueryDates.ts"
import { stem, wordForms } from "./Words.ts"

export interface EvidenceTerms {
  /** Distinct stems in the order of the query: those that must be met first, then those that only weigh. */
  readonly stems: ReadonlyArray<string>
  /** An appeal matches when one of the first `matching` stems stands in a text of it. */
  readonly matching: number
  /** The words as they were spelled, folded: the very form weighs more than another form of the word. */
  readonly spelled: ReadonlySet<string>
  readonly dates: ReadonlyArray<QueryDate>
}

/** Words that only ask or say nothing make no match, unless nothing else is there. */
export const termsOf = (query: string): EvidenceTerms => {
  const all = wordForms(query)
  const telling = all.filter((word) => !commonStems.has(word.stem))
  const content = telling.filter((word) => !askingStems.has(word.stem))
  const kept = content.length > 0 ? content : telling.length > 0 ? telling : all
  const matching = new Set(kept.map((word) => word.stem))
  return {
    stems: [...new Set([...matching, ...all.map((word) => word.stem)])],
    matching: matching.size,
    spelled: new Set(all.map((word) => word.folded)),
    dates: datesOf(query)
  }
}

/**
 * Counts of the terms in a text given as folded words separated by spaces: for every term met three numbers, its place
 * in `stems`, how often it stands there, and how often in a spelling of the query.
 */
export const termCounter = (terms: EvidenceTerms): ((words: string) => ReadonlyArray<number>) => {
  const places = new Map(terms.stems.map((term, place) => [term, place]))
  // Place and spelling of every word seen so far: texts repeat their words.
  const seen = new Map<string, number>()
  const codeOf = (word: string): number => {
    const kept = seen.get(word)
    if (kept !== undefined) return kept
    const place = places.get(stem(word))
    const code = place === undefined ? -1 : place * 2 + (terms.spelled.has(word) ? 1 : 0)
    seen.set(word, code)
    return code
  }
  return (text) => {
    const counts: Array<number> = []
    for (let from = 0; from < text.length;) {
      const space = text.indexOf(" ", from)
      const to = space === -1 ? text.length : space
      const code = codeOf(text.slice(from, to))
      if (code >= 0) count(counts, code >> 1, code & 1)
      from = to + 1
    }
    return counts
  }
}

const count = (counts: Array<number>, place: number, spelled: number): void => {
  for (let i = 0; i < counts.length; i += 3) {
    if (counts[i] === place) {
      counts[i + 1] = (counts[i + 1] ?? 0) + 1
      counts[i + 2] = (counts[i + 2] ?? 0) + spelled
      return
    }
  }
  counts.push(place, 1, spelled)
}
