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

/** A word as it is compared: folded, and its stem, the same for its cases, numbers and spellings. */
export interface WordForm {
  readonly folded: string
  readonly stem: string
}

// One map for the process, emptied when full: words repeat so much that what falls out returns at once.
const known = new Map<string, WordForm>()

/** Of a word longer than STEM_UNITS_MAX only the beginning counts; the form of a folded word is that of the word. */
export const formOf = (word: string): WordForm => {
  const kept = known.get(word)
  if (kept !== undefined) return kept
  const short = word.length > STEM_UNITS_MAX ? word.slice(0, STEM_UNITS_MAX).toWellFormed() : word
  const folded = fold(short)
  const form = { folded, stem: stemOf(folded) }
  if (word.length > STEM_UNITS_MAX) return form
  if (known.size >= STEMS_KEPT_MAX) known.clear()
  known.set(word, form)
  return form
}

export const stem = (word: string): string => formOf(word).stem

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

/** The forms of the words of a text in order, without their places: what an index keeps. */
export const wordForms = (text: string): ReadonlyArray<WordForm> => {
  const found: Array<WordForm> = []
  for (const word of text.match(WORD) ?? []) {
    const form = formOf(word)
    if (form.folded !== "") found.push(form)
  }
  return found
}

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
