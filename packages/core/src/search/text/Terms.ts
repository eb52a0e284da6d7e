// The terms of a query: the words that must match, as stems with their spellings, and the dates that it names. Counts terms in a text,
// and rates how near a time is to the dates.
import { fold } from "./Fold.ts"
import { irregularForms, SHORT_UNITS_MAX, wordBeginnings } from "./Stems.ts"
import { askingWords, commonWords } from "./StopWords.ts"
import { formOf, isCyrillic, queryForms, type WordForm } from "./Words.ts"
import { DAY_MILLIS } from "@rapport/contract/values/Time.ts"
import { memoize } from "../../values/Memoize.ts"
import { DATE_WEIGHT } from "../ranking/RankingWeights.ts"

/** The given parts of a date. A day always has its month; a year needs neither. */
export interface QueryDate {
  readonly year: number | null
  /** 1–12. */
  readonly month: number | null
  readonly day: number | null
}

const monthNames: ReadonlyArray<string> = [
  "january jan січень січня січні январь января январе",
  "february feb лютий лютого лютому февраль февраля феврале",
  "march mar березень березня березні март марта марте",
  "april apr квітень квітня квітні апрель апреля апреле",
  "may травень травня травні май мая мае",
  "june jun червень червня червні июнь июня июне",
  "july jul липень липня липні июль июля июле",
  "august aug серпень серпня серпні август августа августе",
  "september sep sept вересень вересня вересні сентябрь сентября сентябре",
  "october oct жовтень жовтня жовтні октябрь октября октябре",
  "november nov листопад листопада листопаді ноябрь ноября ноябре",
  "december dec грудень грудня грудні декабрь декабря декабре"
]
const months = new Map(
  monthNames.flatMap((line, at) => line.split(" ").map((name) => [fold(name), at + 1] as const))
)
// May and March are also verbs: they count as months only next to a day, a year or a word of time.
const doubtful = new Set(["may", "mar", "march", "sep", "dec", "jan", "мая"])
const leads = new Set([
  "in",
  "of",
  "last",
  "this",
  "since",
  "until",
  "during",
  "before",
  "after",
  "by",
  "early",
  "late"
])

const TOKEN = /[\p{L}\p{N}\p{M}]+/gu
const NUMERIC =
  /(?<!\d)(?:((?:19|20)\d\d)[-./](\d{1,2})(?:[-./](\d{1,2}))?|(\d{1,2})\.(\d{1,2})\.((?:19|20)\d\d))(?!\d)/gu

const yearOf = (token: string | undefined): number | null =>
  token !== undefined && /^(?:19|20)\d\d$/u.test(token) ? Number(token) : null

const dayOf = (token: string | undefined): number | null => {
  const digits = token === undefined ? null : /^(\d{1,2})(?:st|nd|rd|th|го)?$/u.exec(token)
  const day = Number(digits?.[1] ?? 0)
  return day >= 1 && day <= 31 ? day : null
}

/** The dates of a query in their order; at most one for each month name, number group or lone year. */
export const datesOf = (query: string): ReadonlyArray<QueryDate> => {
  const found: Array<QueryDate> = []
  const rest = query.replace(NUMERIC, (_, y1, m1, d1, d2, m2, y2) => {
    const month = Number(m1 ?? m2)
    if (month >= 1 && month <= 12) {
      found.push({ year: Number(y1 ?? y2), month, day: dayOf(d1 ?? d2) })
    }
    return " "
  })
  const tokens = [...rest.matchAll(TOKEN)].map((match) => fold(match[0]))
  const spent = new Set<number>()
  tokens.forEach((token, at) => {
    const month = months.get(token)
    if (month === undefined) return
    const before = tokens[at - 1] === "of" || tokens[at - 1] === "го" ? at - 2 : at - 1
    const dayBefore = dayOf(tokens[before])
    const day = dayBefore ?? dayOf(tokens[at + 1])
    const yearAt = [at + 1, at + 2, at - 1].find((i) => yearOf(tokens[i]) !== null)
    const year = yearAt === undefined ? null : yearOf(tokens[yearAt])
    if (doubtful.has(token) && day === null && year === null && !leads.has(tokens[at - 1] ?? "")) return
    if (yearAt !== undefined) spent.add(yearAt)
    found.push({ year, month, day })
  })
  tokens.forEach((token, at) => {
    const year = spent.has(at) ? null : yearOf(token)
    if (year !== null) found.push({ year, month: null, day: null })
  })
  return found
}

/** How well a time fits the dates named: 0 when none was, or none fits. */
export const dateWeight = (dates: ReadonlyArray<QueryDate>, at: number): number => {
  let best = 0
  for (const date of dates) best = Math.max(best, weightOf(date, at))
  return best
}

const weightOf = (date: QueryDate, at: number): number => {
  const own = new Date(at)
  const sameYear = date.year === own.getUTCFullYear()
  if (date.month === null) return sameYear ? DATE_WEIGHT.year : 0
  const year = date.year ?? own.getUTCFullYear()
  const sameMonth = year === own.getUTCFullYear() && date.month === own.getUTCMonth() + 1
  const from = Date.UTC(year, date.month - 1, date.day ?? 1)
  const to = date.day === null ? Date.UTC(year, date.month, 1) : from + DAY_MILLIS
  const distance = at < from ? from - at : at >= to ? at - to : 0
  const share = date.day === null ? DATE_WEIGHT.monthNearShare : 1
  const near = share * DATE_WEIGHT.near * Math.exp(-distance / (DATE_WEIGHT.nearDays * DAY_MILLIS))
  return (
    (sameYear ? DATE_WEIGHT.year : 0) +
    (sameMonth ? DATE_WEIGHT.month : 0) +
    (sameMonth && date.day === own.getUTCDate() ? DATE_WEIGHT.day : 0) +
    near
  )
}

export interface EvidenceTerms {
  /** Distinct stems in the order of the query: first those that must match, then those that only weigh. */
  readonly stems: ReadonlyArray<string>
  /** An appeal matches when one of the first `matching` stems, or a word of its family, occurs in a text of it. */
  readonly matching: number
  /** The words as they were spelled, folded: the same form weighs more than another form of the word. */
  readonly spelled: ReadonlySet<string>
  /** Places of two stems that must match and follow each other in the query; other words between them are ignored. */
  readonly pairs: ReadonlyArray<readonly [first: number, second: number]>
  readonly dates: ReadonlyArray<QueryDate>
}

/** Question words and common words make no match, unless the query has no other words. */
export const termsOf = (query: string): EvidenceTerms => {
  const all = queryForms(query)
  const uncommon = all.filter((word) => !commonWords.has(word.folded))
  const content = uncommon.filter((word) => !askingWords.has(word.folded))
  const kept = content.length > 0 ? content : uncommon.length > 0 ? uncommon : all
  const matching = [...new Set(kept.map((word) => word.stem))]
  return {
    stems: [...new Set([...matching, ...all.map((word) => word.stem)])],
    matching: matching.length,
    spelled: new Set(all.map((word) => word.folded)),
    pairs: pairsOf(kept.map((word) => matching.indexOf(word.stem))),
    dates: datesOf(query)
  }
}

const pairsOf = (places: ReadonlyArray<number>): EvidenceTerms["pairs"] => {
  const found = new Map<string, readonly [number, number]>()
  for (const [at, second] of places.entries()) {
    const first = places[at - 1]
    if (first !== undefined && first !== second) found.set(`${first} ${second}`, [first, second])
  }
  return [...found.values()]
}

/** The words of a query that occur in one text. */
export interface TermCounts {
  /**
   * Four numbers for each term that occurs: its place in `stems`, its occurrences, those in a spelling of the query, and the
   * occurrences of other words of its family.
   */
  readonly terms: ReadonlyArray<number>
  /** Places in `pairs` of the pairs that stand near each other, in either order. */
  readonly pairs: ReadonlyArray<number>
  /** Words of the text, names included. */
  readonly words: number
}

/** Numbers of one term in `TermCounts.terms`. */
export const TERM_COUNTS = 4

// Words whose stems begin alike are of one family: adoption and adopting, доставка and доставлено.
const FAMILY_UNITS = 5

/**
 * The family of a word of a query. Short words have none. Neither have numbers and codes: those that begin alike belong to different
 * orders, phones and invoices.
 */
export const familyOf = (stem: string): string | undefined => {
  if (stem.length < FAMILY_UNITS) return undefined
  const family = stem.slice(0, FAMILY_UNITS).toWellFormed()
  return /\p{N}/u.test(family) ? undefined : family
}

/** Whether every text with the word has its family. The family of an English word follows from its spelling, not its stem. */
export const isFoundByFamily = (stem: string): boolean => isCyrillic(stem) && familyOf(stem) !== undefined

/** The family of a word of a text. English stems may be too short for it: adoption belongs to adopt. */
export const familyIn = ({ folded, stem }: WordForm): string | undefined =>
  familyOf(isCyrillic(stem) ? stem : folded)

/** Families of the words of a text, each once. */
export const familiesIn = (text: ReadonlyArray<WordForm>): ReadonlySet<string> =>
  new Set(text.flatMap((word) => familyIn(word) ?? []))

/** Words between the two of a pair, at most. */
const NEAR_WORDS = 8

const NOTHING = 0

/** Counts the terms in texts given as folded words separated by spaces. */
export const termCounter = (terms: EvidenceTerms): ((words: string) => TermCounts) => {
  const places = new Map(terms.stems.map((term, place) => [term, place]))
  const families = familiesOf(terms)
  const partners = terms.stems.map((_, place) =>
    terms.pairs.flatMap(([first, second], at) =>
      first === place ? [[second, at] as const] : second === place ? [[first, at] as const] : []
    )
  )
  const beginnings = beginningsOf(terms)
  // The code of every word seen so far, because texts repeat their words: above 0 a term, below 0 a family.
  const codeOf = memoize((word: string): number => {
    const form = formOf(word)
    const place = places.get(form.stem)
    if (place !== undefined) return 1 + place * 2 + (terms.spelled.has(word) ? 1 : 0)
    const family = families.get(familyIn(form) ?? "")
    return family === undefined ? NOTHING : -1 - family
  })
  return (text) => {
    const counts: Array<number> = []
    const pairs: Array<number> = []
    const last: Array<number> = []
    let word = 0
    for (let from = 0; from < text.length; word++) {
      const space = text.indexOf(" ", from)
      const to = space === -1 ? text.length : space
      const code =
        beginnings[text.charCodeAt(from)] === 1 || to - from <= SHORT_UNITS_MAX
          ? codeOf(text.slice(from, to))
          : NOTHING
      from = to + 1
      if (code === NOTHING) continue
      if (code < 0) {
        count(counts, -1 - code, 0, 0, 1)
        continue
      }
      const place = (code - 1) >> 1
      count(counts, place, 1, (code - 1) & 1, 0)
      for (const [partner, pair] of partners[place] ?? []) {
        if (word - (last[partner] ?? -Infinity) <= NEAR_WORDS && !pairs.includes(pair)) pairs.push(pair)
      }
      last[place] = word
    }
    return { terms: counts, pairs, words: word }
  }
}

// First UTF-16 units of the words that can have the stem of a term: most words of a text are ruled out by them.
const beginningsOf = ({ stems }: EvidenceTerms): Uint8Array => {
  const found = new Uint8Array(0x1_0000)
  for (const term of stems) {
    for (const letter of wordBeginnings(term[0] ?? "")) found[letter.charCodeAt(0)] = 1
    for (const form of irregularForms(term)) found[form.charCodeAt(0)] = 1
  }
  return found
}

/** Families of the words that must match, each with the place of its first term. */
export const familiesOf = ({ matching, stems }: EvidenceTerms): ReadonlyMap<string, number> => {
  const families = new Map<string, number>()
  for (const [place, term] of stems.slice(0, matching).entries()) {
    const family = familyOf(term)
    if (family !== undefined && !families.has(family)) families.set(family, place)
  }
  return families
}

const count = (counts: Array<number>, place: number, times: number, spelled: number, kin: number): void => {
  let at = 0
  while (at < counts.length && counts[at] !== place) at += TERM_COUNTS
  if (at === counts.length) counts.push(place, 0, 0, 0)
  counts[at + 1] = (counts[at + 1] ?? 0) + times
  counts[at + 2] = (counts[at + 2] ?? 0) + spelled
  counts[at + 3] = (counts[at + 3] ?? 0) + kin
}
