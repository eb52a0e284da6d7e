// Which words of a query occur in a text, and how the query word was read to match (contract §3.2, "Explain").
import type { ExplanationJson } from "@rapport/contract/context/ContextPack.ts"
import { fold } from "./Fold.ts"
import type { Reading } from "./Readings.ts"
import type { TextQuery } from "./TextQuery.ts"
import { familyIn } from "./Terms.ts"
import { placedForms } from "./Words.ts"

export type MatchedWord = ExplanationJson["items"][number]["words"][number]

interface QueryWord {
  readonly word: string
  /** Why the query was read as this word; undefined: it was typed so. */
  readonly why: Reading["why"] | undefined
}

/** `textQuery` is the query after its readings. Returns the matched words of a text, each pair of words once. */
export const matchedWordsOf = (
  textQuery: TextQuery,
  readings: ReadonlyArray<Reading>
): ((text: string) => ReadonlyArray<MatchedWord>) => {
  const whyOf = (queryStem: string) =>
    readings.find(({ readAs }) => placedForms(readAs).some((form) => form.stem === queryStem))?.why
  const byStem = new Map<string, QueryWord>()
  const byFamily = new Map<string, QueryWord>()
  for (const { slice, ...form } of wordsIn(textQuery.query)) {
    if (!textQuery.stems.has(form.stem) || byStem.has(form.stem)) continue
    const word = { word: slice, why: whyOf(form.stem) }
    byStem.set(form.stem, word)
    const family = familyIn(form)
    if (family !== undefined && !byFamily.has(family)) byFamily.set(family, word)
  }
  return (text) => {
    const found = new Map<string, MatchedWord>()
    let end = 0
    for (const { slice, ...form } of wordsIn(text)) {
      // Skips the parts of a matched code, which follow it.
      if (form.from < end) continue
      const same = byStem.get(form.stem)
      const query = same ?? byFamily.get(familyIn(form) ?? "")
      if (query === undefined) continue
      const by = query.why ?? (same === undefined ? "family" : kindOf(query.word, slice))
      found.set(`${query.word}\n${fold(slice)}`, { word: query.word, matched: slice, by })
      end = form.to
    }
    return [...found.values()]
  }
}

/** The words of a text as they are written there. */
const wordsIn = (text: string) => {
  const points = Array.from(text)
  return placedForms(text).map((form) => ({ ...form, slice: points.slice(form.from, form.to).join("") }))
}

/** How two words with the same stem match. */
const kindOf = (queryWord: string, textWord: string): MatchedWord["by"] => {
  if (queryWord.toLowerCase() === textWord.toLowerCase()) return "exact"
  const both = queryWord + textWord
  if (/\p{N}/u.test(both)) {
    if (/\p{L}/u.test(both)) return "code"
    return digitsOf(queryWord) !== digitsOf(textWord) || /[+(]/u.test(both) ? "phone" : "number"
  }
  if (/\p{Pd}/u.test(both)) return "compound"
  return fold(queryWord) === fold(textWord) ? "exact" : "stem"
}

const digitsOf = (word: string): string => word.replace(/\D/gu, "")
