// A query as it is looked for in one text: by a database in a long one, by words in what is shown of it.
import { asRead, type Reading } from "./Readings.ts"
import { irregularForms, letterInStem } from "./Stems.ts"
import { type EvidenceTerms, familiesOf, termsOf } from "./Terms.ts"
import { words } from "./Words.ts"

export interface Sought {
  readonly query: string
  /**
   * Of each word that must be met the part that its stem has in common with it, written as in a text in lower case with the
   * letters of TEXT_LETTERS replaced. Only a hint: forms that begin otherwise are not found by it.
   */
  readonly starts: ReadonlyArray<string>
  /** Stems of the words that must be met. */
  readonly stems: ReadonlySet<string>
  readonly families: ReadonlySet<string>
}

export const soughtOf = (query: string): Sought => {
  const terms = termsOf(query)
  return {
    query,
    starts: startsOf(query, terms),
    stems: new Set(terms.stems.slice(0, terms.matching)),
    families: new Set(familiesOf(terms).keys())
  }
}

/** The query with the words that the search read otherwise. */
export const soughtAs = (sought: Sought, readings: ReadonlyArray<Reading>): Sought =>
  readings.length === 0 ? sought : soughtOf(asRead(sought.query, readings))

/** Beginnings searched for in one text, at most. */
const WORD_STARTS_MAX = 16

/** Texts are compared without case, with ё as е, ґ as г, and one apostrophe. */
export const TEXT_LETTERS = { from: "ёґ’ʼ‘`", to: "ег''''" } as const

const startsOf = (query: string, { matching, stems }: EvidenceTerms): ReadonlyArray<string> => {
  const sought = new Set(stems.slice(0, matching))
  const points = Array.from(query)
  const starts = words(query)
    .filter(({ stem }) => sought.has(stem))
    .flatMap(({ from, stem, to }) => {
      const irregular = irregularForms(stem)
      return irregular.length > 0 ? irregular : [startOf(plain(points.slice(from, to).join("")), stem)]
    })
  return [...new Set(starts)].slice(0, WORD_STARTS_MAX)
}

const plain = (word: string): string => {
  let text = word.normalize("NFC").toLowerCase()
  for (const [place, letter] of Array.from(TEXT_LETTERS.from).entries())
    text = text.replaceAll(letter, TEXT_LETTERS.to.charAt(place))
  return text
}

// Stems of Cyrillic words keep what a form may change before its ending: рахунок, рахунки.
const CHANGED_UNITS = 2
const START_UNITS_MIN = 3

const startOf = (word: string, stem: string): string => {
  let common = 0
  const ends: Array<number> = []
  let end = 0
  for (const letter of word) {
    end += letter.length
    if (letter === "'") continue
    const inStem = stem.slice(common, common + letter.length)
    if (letterInStem(inStem) !== letterInStem(letter)) break
    common += letter.length
    ends.push(end)
  }
  if (ends.length === 0) return word
  const kept = /\p{Script=Cyrillic}/u.test(word)
    ? Math.max(Math.min(START_UNITS_MIN, ends.length), ends.length - CHANGED_UNITS)
    : ends.length
  return word.slice(0, ends[kept - 1])
}
