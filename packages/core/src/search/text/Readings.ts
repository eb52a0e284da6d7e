// Readings of query words that occur in no appeal the caller may see: the same keys in another layout, the same sounds in Latin
// letters, or a correction (Corrections.ts). The answer always lists them.
import { Schema } from "effect"
import { correctionsOf, isCorrectable } from "./Corrections.ts"
import { fold } from "./Fold.ts"
import { isKnown, isPossible } from "./KnownWords.ts"
import { isFrequentTypo } from "./Spelling.ts"
import { isContentWord } from "./StopWords.ts"
import { termsOf } from "./Terms.ts"
import { WORD } from "./WordParts.ts"
import { queryForms, stem } from "./Words.ts"

/** A word of the query and its reading (contract §3.2, readings). */
export const Reading = Schema.Struct({
  /** As written in the query. */
  word: Schema.String,
  readAs: Schema.String,
  why: Schema.Literals(["layout", "transliteration", "spelling"])
})
export type Reading = typeof Reading.Type

interface Candidate extends Reading {
  /** The part of the query between spaces that has the word. */
  readonly part: string
  /** The index of the layout. */
  readonly layout: number | null
  /** Stems of its content words. */
  readonly stems: ReadonlyArray<string>
  /** The correction counts only if no nearer one occurs. */
  readonly far?: boolean
}

/** The most words of a query with other readings, and with corrections. */
const READ_WORDS_MAX = 24
const CORRECTED_WORDS_MAX = 4
/** The fewest letters of a word with another reading. */
const LAYOUT_LETTERS_MIN = 3
const TRANSLITERATED_LETTERS_MIN = 4
/** A word in more appeals is not likelier. */
export const APPEALS_COUNTED_MAX = 16
/** A known word is as likely as an unknown word in this many times the appeals. */
const KNOWN_TIMES = 4
/** The same for a frequent typo (`isFrequentTypo`). */
const TYPO_TIMES = 8
/** More than the count of any nearer correction. */
const FAR_LESS = APPEALS_COUNTED_MAX * KNOWN_TIMES * TYPO_TIMES

/** All readings of the words that do not occur, the likelier first. `occurs` is for stems. */
export const possibleReadings = (
  query: string,
  occurs: (stem: string) => boolean
): ReadonlyArray<Candidate> => {
  const missing = missingParts(query, occurs)
  const meant = missing
    .slice(0, READ_WORDS_MAX)
    .flatMap((part) => [...layoutCandidates(part), ...transliterationCandidates(part)])
  // Each word of a compound separately: one half of "Сан-Маркос" may be mistyped.
  const words = partsOf(query).flatMap((part) =>
    (part.match(WORD) ?? [])
      .filter((word) => isCorrectable(fold(word)) && !occurs(stem(word)))
      .map((word) => [part, word] as const)
  )
  const doubted = words.toSorted(([, a], [, b]) => doubtOf(fold(b)) - doubtOf(fold(a)))
  return [
    ...meant,
    ...doubted.slice(0, CORRECTED_WORDS_MAX).flatMap(([part, word]) => spellingCandidates(part, word))
  ]
}

/** An impossible word is most likely mistyped, then an unknown word, then a known word that does not occur here. */
const doubtOf = (folded: string): number => (isKnown(folded) ? 0 : isPossible(folded) ? 1 : 2)

/** The distinct stems to search for. */
export const stemsOf = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<string> => [
  ...new Set(candidates.flatMap(({ stems }) => stems))
]

/**
 * The likeliest reading of each word that occurs in visible appeals. A correction is likelier if it occurs in more appeals.
 * `appealsWith` counts the appeals with a stem, up to APPEALS_COUNTED_MAX.
 */
export const chosenReadings = (
  candidates: ReadonlyArray<Candidate>,
  appealsWith: (stem: string) => number
): ReadonlyArray<Reading> => {
  const occurs = (stem: string): boolean => appealsWith(stem) > 0
  const weightOf = ({ far, readAs, stems, why, word }: Candidate): number => {
    if (why !== "spelling") return Infinity
    const counted = Math.min(APPEALS_COUNTED_MAX, appealsWith(stems[0] ?? ""))
    const known = isKnown(readAs) ? KNOWN_TIMES : 1
    if (far === true) return counted * known - FAR_LESS
    return counted * known * (isFrequentTypo(fold(word), readAs) ? TYPO_TIMES : 1)
  }
  const occurring = candidates
    .filter(({ stems }) => stems.some(occurs))
    .toSorted((a, b) => compare(weightOf(b), weightOf(a)))
  // If one word was typed in another layout, all words were, including question words.
  const inLayout = [0, 1, 2, 3].map((at) => occurring.filter(({ layout }) => layout === at).length)
  const layout = inLayout.indexOf(Math.max(...inLayout))
  const ofLayout = (inLayout[layout] ?? 0) === 0 ? [] : candidates.filter((one) => one.layout === layout)
  const known = ofLayout.filter(({ stems }) => stems.length === 0 || stems.some(occurs))
  const seen = new Set<string>()
  return [...known, ...ofLayout.toReversed(), ...occurring.filter((one) => one.layout === null)].flatMap(
    ({ part, readAs, why, word }) => {
      // Spelling is corrected word by word, even within one part.
      const own = why === "spelling" ? `${part} ${word}` : part
      if (seen.has(part) || seen.has(own)) return []
      seen.add(own)
      return [{ word, readAs, why }]
    }
  )
}

const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)

/** Removes repeated readings. */
export const distinctReadings = (readings: ReadonlyArray<Reading>): ReadonlyArray<Reading> =>
  readings.filter(
    (one, at) => readings.findIndex(({ readAs, word }) => word === one.word && readAs === one.readAs) === at
  )

/** The query with its readings. */
export const asRead = (query: string, readings: ReadonlyArray<Reading>): string => {
  const by = new Map(readings.map(({ readAs, word }) => [word, readAs]))
  if (by.size === 0) return query
  const longest = [...by.keys()].toSorted((a, b) => b.length - a.length).map((word) => RegExp.escape(word))
  const anywhere = new RegExp(
    `(?<![\\p{L}\\p{N}\\p{M}])(?:${longest.join("|")})(?![\\p{L}\\p{N}\\p{M}])`,
    "gu"
  )
  return query.replace(anywhere, (word) => by.get(word) ?? word)
}

const partsOf = (query: string): ReadonlyArray<string> => [...new Set(query.match(/\S+/gu) ?? [])]

// Parts between spaces whose content words occur nowhere.
const missingParts = (query: string, occurs: (stem: string) => boolean): ReadonlyArray<string> => {
  const { matching, stems } = termsOf(query)
  const searchedStems = new Set(stems.slice(0, matching))
  return partsOf(query).filter((part) => {
    const words = queryForms(part).filter((word) => searchedStems.has(word.stem))
    return words.length > 0 && words.every((word) => !occurs(word.stem))
  })
}

const contentStems = (text: string): ReadonlyArray<string> =>
  queryForms(text).flatMap(({ folded, stem }) =>
    !isContentWord(folded) || folded.length < LAYOUT_LETTERS_MIN ? [] : [stem]
  )

// Signs at the end of a word may be letters of another layout.
const layoutCandidates = (part: string): ReadonlyArray<Candidate> => {
  const latin = /^[a-z[\]{};:'"<>,.`~/?!&-]+$/iu.test(part)
  const cyrillic = /^[\p{Script=Cyrillic}'’ʼ.,!?-]+$/u.test(part)
  if (!latin && !cyrillic) return []
  const bare = part.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "")
  return [...new Set([part.replace(/[/?!&-]+$/u, ""), bare])]
    .filter((word) => word !== "")
    .flatMap((word) =>
      (latin ? layouts : latinLayouts).map((read, at) => {
        const readAs = read(word)
        return {
          part,
          word,
          readAs,
          why: "layout" as const,
          layout: at + (latin ? 0 : 2),
          stems: contentStems(readAs)
        }
      })
    )
    .filter(({ readAs }) => (latin ? /^[\p{Script=Cyrillic}'-]+$/u.test(readAs) : /^[a-z'-]+$/u.test(readAs)))
}

const transliterationCandidates = (part: string): ReadonlyArray<Candidate> => {
  const word = part.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "")
  if (word.length < TRANSLITERATED_LETTERS_MIN || !/^[a-z'’]+$/iu.test(word)) return []
  return transliterations(word).map((readAs) => ({
    part,
    word,
    readAs,
    why: "transliteration" as const,
    layout: null,
    stems: contentStems(readAs)
  }))
}

const spellingCandidates = (part: string, word: string): ReadonlyArray<Candidate> =>
  correctionsOf(fold(word)).map(({ far, readAs, stem }) => ({
    part,
    word,
    readAs,
    why: "spelling",
    layout: null,
    stems: [stem],
    far
  }))

const LATIN_KEYS = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
const UKRAINIAN_KEYS = "йцукенгшщзхїфівапролджєячсмитьбю'"
const RUSSIAN_KEYS = "йцукенгшщзхъфывапролджэячсмитьбюё"
// The same keys with the shift key.
const SHIFTED = new Map([...'{}:"<>~'].map((sign, at) => [sign, "[];',.`"[at] ?? sign]))

const typedOn = (from: string, to: string) => {
  const keys = new Map([...from].map((letter, at) => [letter, to[at] ?? letter]))
  return (text: string): string =>
    [...text.toLowerCase()].map((sign) => keys.get(SHIFTED.get(sign) ?? sign) ?? sign).join("")
}

/** Each converts a text to the layout in which the same keys were meant. */
const layouts: ReadonlyArray<(text: string) => string> = [
  typedOn(LATIN_KEYS, UKRAINIAN_KEYS),
  typedOn(LATIN_KEYS, RUSSIAN_KEYS)
]
const latinLayouts: ReadonlyArray<(text: string) => string> = [
  typedOn(UKRAINIAN_KEYS, LATIN_KEYS),
  typedOn(RUSSIAN_KEYS, LATIN_KEYS)
]

// The longest first.
const SOUNDS: ReadonlyArray<readonly [latin: string, cyrillic: string]> = [
  ["shch", "щ"],
  ["sch", "щ"],
  ["zgh", "зг"],
  ["zh", "ж"],
  ["kh", "х"],
  ["ts", "ц"],
  ["ch", "ч"],
  ["sh", "ш"],
  ["ya", "я"],
  ["ia", "я"],
  ["ja", "я"],
  ["yu", "ю"],
  ["iu", "ю"],
  ["ju", "ю"],
  ["ye", "є"],
  ["ie", "є"],
  ["je", "є"],
  ["yi", "ї"],
  ["ji", "ї"],
  ["yo", "йо"],
  ["yy", "ий"],
  ["iy", "ий"],
  ["ii", "ії"],
  ...[..."abvwghdezijklmnoprstufycqx"].map(
    (letter, at) => [letter, [..."абввггдезійклмнопрстуфицк", "кс"][at] ?? letter] as const
  ),
  ["'", "ь"],
  ["’", "ь"]
]

// Different habits of writing a sound.
const HABITS: ReadonlyArray<Readonly<Record<string, string>>> = [
  {},
  { h: "х", y: "і", i: "и", e: "є" },
  { y: "ы", i: "и", ie: "ие", ia: "ия", iu: "ию", ye: "е", yi: "ый", ii: "ий" },
  { i: "и", h: "х", y: "ы", ye: "е" },
  { ie: "іє", ia: "ія", iu: "ію", y: "й" }
]

const inCyrillic = (word: string, habit: Readonly<Record<string, string>>): string => {
  let text = ""
  for (let at = 0; at < word.length;) {
    const [latin, cyrillic] = SOUNDS.find(([latin]) => word.startsWith(latin, at)) ?? [word[at] ?? "", ""]
    text += habit[latin] ?? cyrillic
    at += latin.length
  }
  return text
}

/** A word in Latin letters as it may be written in Cyrillic ones. */
const transliterations = (word: string): ReadonlyArray<string> => [
  ...new Set(HABITS.map((habit) => inCyrillic(word.toLowerCase(), habit)))
]
