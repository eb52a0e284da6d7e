// Words of a text as the search compares them: folded and stemmed for English, Ukrainian and Russian, with their places.
import { stemmer as english } from "@orama/stemmers/english"
import { stemmer as russian } from "@orama/stemmers/russian"
import { stemmer as ukrainian } from "@orama/stemmers/ukrainian"
import { STEM_UNITS_MAX, STEMS_KEPT_MAX } from "@rapport/contract/Limits.ts"

/** A word at its half-open range of code points. */
export interface Word {
  readonly stem: string
  readonly from: number
  readonly to: number
}

// A mark belongs to its letter, and one apostrophe between letters to the word: U+0027, U+2019, U+02BC and two look-alikes.
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’ʼ‘`][\p{L}\p{N}\p{M}]+)*/gu

/**
 * A word without what people leave out or write in several ways: case, compatibility forms, apostrophes (п'ять, п’ять,
 * пʼять), accents (but й and ї are letters of their own), ё as е, ґ as г.
 */
export const fold = (word: string): string =>
  word
    .normalize("NFKC")
    .toLowerCase()
    // Apostrophes, and what a compatibility form may unfold to: a space, a fraction stroke.
    .replace(/[^\p{L}\p{N}\p{M}]+|ʼ/gu, "")
    .replaceAll("ё", "е")
    .normalize("NFD")
    .replace(/(?<![иі])\p{M}/gu, "")
    .replace(/(?<=[иі])(?![\u0306\u0308])\p{M}/gu, "")
    .normalize("NFC")

// One map for the process, emptied when full: words repeat so much that what falls out returns at once.
const known = new Map<string, string>()

/** The form under which a word is indexed and asked for; the same for its cases, numbers and spellings. */
export const stem = (word: string): string => {
  const short = cut(word)
  const kept = known.get(short)
  if (kept !== undefined) return kept
  const made = stemOf(fold(short))
  if (known.size >= STEMS_KEPT_MAX) known.clear()
  known.set(short, made)
  return made
}

// Letters, and soft ц at the end, that Russian does not write.
const UKRAINIAN = /[іїєґ]|ц[яюь]$/u

const stemOf = (folded: string): string => {
  if (/\p{Script=Cyrillic}/u.test(folded)) {
    return slavic((UKRAINIAN.test(folded) ? ukrainian(folded) : russian(folded)).replaceAll("ґ", "г"))
  }
  return /^[a-z]+$/u.test(folded) ? english(folded) : folded
}

// What the two stemmers leave apart: рахунок and рахунки, картка and картці, договір and договору.
const slavic = (stemmed: string): string =>
  stemmed.length < 3
    ? stemmed
    : stemmed
        .replace(/[оеє](?=[кцн]$)/u, "")
        .replace(/(?<=[^аеиіоуєюяї])ц$/u, "к")
        .replace(/і(?=\p{L}$)/u, "о")

/** The folded words of a text in order, cut to STEM_UNITS_MAX: what an index keeps; `stem` of one is that of its word. */
export const foldedWords = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const match of text.matchAll(WORD)) {
    const folded = fold(cut(match[0]))
    if (folded !== "") found.push(folded)
  }
  return found
}

const cut = (word: string): string =>
  word.length > STEM_UNITS_MAX ? word.slice(0, STEM_UNITS_MAX).toWellFormed() : word

/** The words of a text in order. */
export const words = (text: string): ReadonlyArray<Word> => {
  const found: Array<Word> = []
  let units = 0
  let points = 0
  const pointsTo = (index: number): number => {
    while (units < index) {
      const unit = text.charCodeAt(units)
      units += unit >= 0xd800 && unit <= 0xdbff && units + 1 < text.length ? 2 : 1
      points++
    }
    return points
  }
  for (const match of text.matchAll(WORD)) {
    const from = pointsTo(match.index)
    found.push({ stem: stem(match[0]), from, to: pointsTo(match.index + match[0].length) })
  }
  return found
}
