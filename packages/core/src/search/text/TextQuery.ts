// A query that is prepared for the search in one text: by the database in a long text, by words in a snippet.
import { asRead, type Reading } from "./Readings.ts"
import { irregularForms, letterInStem } from "./Stems.ts"
import { type EvidenceTerms, familiesOf, termsOf } from "./Terms.ts"
import { words } from "./Words.ts"

export interface TextQuery {
  readonly query: string
  /**
   * The common beginning of each required word and its stem, in lower case with the letters of TEXT_LETTERS replaced. Forms with
   * another beginning are not found by it.
   */
  readonly starts: ReadonlyArray<string>
  /** Stems of the required words. */
  readonly stems: ReadonlySet<string>
  readonly families: ReadonlySet<string>
}

export const textQueryOf = (query: string): TextQuery => {
  const terms = termsOf(query)
  return {
    query,
    starts: startsOf(query, terms),
    stems: new Set(terms.stems.slice(0, terms.matching)),
    families: new Set(familiesOf(terms).keys())
  }
}

/** The query with the corrections of the search. */
export const correctedQuery = (textQuery: TextQuery, readings: ReadonlyArray<Reading>): TextQuery =>
  readings.length === 0 ? textQuery : textQueryOf(asRead(textQuery.query, readings))

/** Beginnings searched for in one text, at most. */
const WORD_STARTS_MAX = 16

/** Texts are compared without case, with ё as е, ґ as г, and one apostrophe. */
export const TEXT_LETTERS = { from: "ёґ’ʼ‘`", to: "ег''''" } as const

const startsOf = (query: string, { matching, stems }: EvidenceTerms): ReadonlyArray<string> => {
  const searched = new Set(stems.slice(0, matching))
  const points = Array.from(query)
  const starts = words(query)
    .filter(({ stem }) => searched.has(stem))
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
