// Other readings of the words of a query that do not occur in what its caller may see: the same keys in another layout, the same
// sounds in Latin letters, a correction (Corrections.ts). The answer always says so.
import { correctionsOf, isCorrectable } from "./Corrections.ts"
import { fold } from "./Fold.ts"
import { isKnown, isPossible } from "./KnownWords.ts"
import { isFrequentTypo } from "./Spelling.ts"
import { isContentWord } from "./StopWords.ts"
import { termsOf } from "./Terms.ts"
import { WORD } from "./WordParts.ts"
import { queryForms, stem } from "./Words.ts"

/** A word of the query as it was read; contract §3.2, readings. */
export interface Reading {
  /** As written in the query. */
  readonly word: string
  readonly readAs: string
  readonly why: "layout" | "transliteration" | "spelling"
}

interface Candidate extends Reading {
  /** The part of the query between spaces that it belongs to. */
  readonly part: string
  /** Which layout, by its place. */
  readonly layout: number | null
  /** Stems of its words that carry meaning. */
  readonly stems: ReadonlyArray<string>
  /** A correction that counts only where no nearer one stands. */
  readonly far?: boolean
}

/** Words of a query that are read otherwise, at most, and words whose spelling is corrected. */
const READ_WORDS_MAX = 24
const CORRECTED_WORDS_MAX = 4
/** Letters of a word that is read otherwise, at least. */
const LAYOUT_LETTERS_MIN = 3
const TRANSLITERATED_LETTERS_MIN = 4
/** More appeals that hold a word make it no likelier. */
export const APPEALS_COUNTED_MAX = 16
/** A correction that people are known to write is as likely as another one in so many times the appeals. */
const KNOWN_TIMES = 4
/** So is one of which the word comes by a slip (`isFrequentTypo`). */
const SLIP_TIMES = 8
/** More than any nearer correction counts. */
const FAR_LESS = APPEALS_COUNTED_MAX * KNOWN_TIMES * SLIP_TIMES

/** Everything that the words that do not occur may have been meant as, the likelier first. `stands`: of a stem. */
export const possibleReadings = (
  query: string,
  stands: (stem: string) => boolean
): ReadonlyArray<Candidate> => {
  const lost = lostParts(query, stands)
  const meant = lost.slice(0, READ_WORDS_MAX).flatMap((part) => [...typed(part), ...sounded(part)])
  // Each word of a compound separately: one half of "Сан-Маркос" may be mistyped.
  const words = partsOf(query).flatMap((part) =>
    (part.match(WORD) ?? [])
      .filter((word) => isCorrectable(fold(word)) && !stands(stem(word)))
      .map((word) => [part, word] as const)
  )
  const doubted = words.toSorted(([, a], [, b]) => doubt(fold(b)) - doubt(fold(a)))
  return [...meant, ...doubted.slice(0, CORRECTED_WORDS_MAX).flatMap(([part, word]) => corrected(part, word))]
}

/** What can be no word is mistyped sooner than what nobody writes, and that sooner than a word that only does not occur here. */
const doubt = (folded: string): number => (isKnown(folded) ? 0 : isPossible(folded) ? 1 : 2)

/** Stems to search for, each once. */
export const stemsOf = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<string> => [
  ...new Set(candidates.flatMap(({ stems }) => stems))
]

/**
 * The readings that hold: of each word the likeliest whose words occur where the caller may see them, of corrections the
 * one that occurs in most appeals. `appealsWith`: of a stem, up to APPEALS_COUNTED_MAX of them.
 */
export const chosenReadings = (
  candidates: ReadonlyArray<Candidate>,
  appealsWith: (stem: string) => number
): ReadonlyArray<Reading> => {
  const stands = (stem: string): boolean => appealsWith(stem) > 0
  const likely = ({ far, readAs, stems, why, word }: Candidate): number => {
    if (why !== "spelling") return Infinity
    const counted = Math.min(APPEALS_COUNTED_MAX, appealsWith(stems[0] ?? ""))
    const known = isKnown(readAs) ? KNOWN_TIMES : 1
    if (far === true) return counted * known - FAR_LESS
    return counted * known * (isFrequentTypo(fold(word), readAs) ? SLIP_TIMES : 1)
  }
  const occurring = candidates
    .filter(({ stems }) => stems.some(stands))
    .toSorted((a, b) => compare(likely(b), likely(a)))
  // Who typed one word in another layout typed the others so too, those that only ask among them.
  const inLayout = [0, 1, 2, 3].map((at) => occurring.filter(({ layout }) => layout === at).length)
  const layout = inLayout.indexOf(Math.max(...inLayout))
  const typedSo = (inLayout[layout] ?? 0) === 0 ? [] : candidates.filter((one) => one.layout === layout)
  const known = typedSo.filter(({ stems }) => stems.length === 0 || stems.some(stands))
  const seen = new Set<string>()
  return [...known, ...typedSo.toReversed(), ...occurring.filter((one) => one.layout === null)].flatMap(
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

/** Each once. */
export const distinctReadings = (readings: ReadonlyArray<Reading>): ReadonlyArray<Reading> =>
  readings.filter(
    (one, at) => readings.findIndex(({ readAs, word }) => word === one.word && readAs === one.readAs) === at
  )

/** The query as it was read. */
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

// Parts between spaces of which no word occurs anywhere; those that only say what every text says are no loss.
const lostParts = (query: string, stands: (stem: string) => boolean): ReadonlyArray<string> => {
  const { matching, stems } = termsOf(query)
  const searchedStems = new Set(stems.slice(0, matching))
  return partsOf(query).filter((part) => {
    const words = queryForms(part).filter((word) => searchedStems.has(word.stem))
    return words.length > 0 && words.every((word) => !stands(word.stem))
  })
}

const tellingStems = (text: string): ReadonlyArray<string> =>
  queryForms(text).flatMap(({ folded, stem }) =>
    !isContentWord(folded) || folded.length < LAYOUT_LETTERS_MIN ? [] : [stem]
  )

// Signs at the end of a word may be letters of the other layout, or signs.
const typed = (part: string): ReadonlyArray<Candidate> => {
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
          stems: tellingStems(readAs)
        }
      })
    )
    .filter(({ readAs }) => (latin ? /^[\p{Script=Cyrillic}'-]+$/u.test(readAs) : /^[a-z'-]+$/u.test(readAs)))
}

const sounded = (part: string): ReadonlyArray<Candidate> => {
  const word = part.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "")
  if (word.length < TRANSLITERATED_LETTERS_MIN || !/^[a-z'’]+$/iu.test(word)) return []
  return transliterations(word).map((readAs) => ({
    part,
    word,
    readAs,
    why: "transliteration" as const,
    layout: null,
    stems: tellingStems(readAs)
  }))
}

const corrected = (part: string, word: string): ReadonlyArray<Candidate> =>
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

/** A text typed in one layout as it would be in another. */
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

// Where people differ in how they write a sound.
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
