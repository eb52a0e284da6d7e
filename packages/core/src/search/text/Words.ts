// A text as the search compares it: its words, folded and stemmed for English, Ukrainian and Russian, with their places, and a document as
// passages of them (a message with its neighbours).
import { BoundedMap } from "../../values/BoundedMap.ts"
import { STEM_UNITS_MAX } from "../SearchLimits.ts"
import { cyrillicStem, englishStem } from "./Stems.ts"
import type { IndexedDocument } from "../DocumentProjection.ts"

/** Forms of words that a thread remembers. */
const STEMS_KEPT_MAX = 100_000

/** A word at its half-open range of code points. */
interface Word {
  readonly stem: string
  readonly from: number
  readonly to: number
}

/**
 * Letters in a row that one word has at most; the rest of the row is passed over. Above what a stem is made of, and bounded
 * so that no text takes the stack of the matcher.
 */
const WORD_LETTERS_MAX = 256

// Characters that are not seen: soft hyphen, zero-width space and joiners, word joiner, byte order mark.
const INVISIBLE = "\\u00ad\\u200b-\\u200d\\u2060\\ufeff"
// A mark belongs to its letter, and one apostrophe between letters to the word, whichever of them was typed; what people
// type for one between Cyrillic letters alone (") is an apostrophe there.
const APOSTROPHE = `(?:['’‘\`´′‛＇]|(?<=\\p{Script=Cyrillic})["*](?=\\p{Script=Cyrillic}))[${INVISIBLE}]{0,${STEM_UNITS_MAX}}`
const INSIDE = `(?:[${INVISIBLE}]{1,${STEM_UNITS_MAX}}(?:${APOSTROPHE})?|${APOSTROPHE})`
const LETTER = "[\\p{L}\\p{N}\\p{M}]"
const LETTERS = `${LETTER}{1,${WORD_LETTERS_MAX}}`
/** A word of a text: from its first letter on, never from the midst of a row of letters. */
export const WORD = new RegExp(`(?<!${LETTER})${LETTERS}(?:${INSIDE}${LETTERS}){0,${STEM_UNITS_MAX}}`, "gu")

/**
 * A word without what people leave out or write in several ways: case, compatibility forms, apostrophes (п'ять, п’ять,
 * пʼять), characters that are not seen, accents (but й and ї are letters of their own), ё as е, letters of the other
 * alphabet that look alike.
 */
export const fold = (word: string): string => {
  const lower = word.toLowerCase()
  return PLAIN.test(lower) ? lower : foldAny(word)
}

// In one alphabet, without accents: nothing to fold but case.
const PLAIN = /^(?:[a-z\d]+|[а-яіїєґ\d]+)$/u

// Once accents are gone, a letter may look like one of the other alphabet that it did not look like before.
const foldAny = (word: string): string => {
  const once = foldOnce(word)
  const twice = foldOnce(once)
  return twice === once ? once : foldOnce(twice)
}

const foldOnce = (word: string): string =>
  oneAlphabet(word.normalize("NFKC"))
    .toLowerCase()
    // Apostrophes, four letters that serve as one, and what a compatibility form may unfold to: a space, a fraction stroke.
    .replace(/[^\p{L}\p{N}\p{M}]+|[ʼʹʻꞌ]/gu, "")
    .replaceAll("ё", "е")
    .normalize("NFD")
    .replace(/(?<![иі])\p{M}/gu, "")
    .replace(/(?<=[иі])(?![\u0306\u0308])\p{M}/gu, "")
    .normalize("NFC")

const LATIN = "AaBCcEeHIiKMOoPpTXxYyÏïËë"
const CYRILLIC = "АаВСсЕеНІіКМОоРрТХхУуЇїЁё"
const lookAlikes = (from: string, to: string): ReadonlyMap<string, string> =>
  new Map([...from].map((letter, at) => [letter, to[at] ?? letter]))
const toCyrillic = lookAlikes(LATIN, CYRILLIC)
const toLatin = lookAlikes(CYRILLIC, LATIN)

// A word in two alphabets is one in that which the letters of the other only look like.
const oneAlphabet = (word: string): string => {
  if (!/\p{Script=Cyrillic}/u.test(word) || !/\p{Script=Latin}/u.test(word)) return word
  const replaced = (letters: RegExp, by: ReadonlyMap<string, string>): string | undefined =>
    (word.match(letters) ?? []).every((letter) => by.has(letter))
      ? word.replace(letters, (letter) => by.get(letter) ?? letter)
      : undefined
  return replaced(/\p{Script=Latin}/gu, toCyrillic) ?? replaced(/\p{Script=Cyrillic}/gu, toLatin) ?? word
}

/** A word as it is compared: folded, and its stem, the same for its cases, numbers and spellings. */
export interface WordForm {
  readonly folded: string
  readonly stem: string
}

const known = new BoundedMap<string, WordForm>(STEMS_KEPT_MAX)

/** Of a word longer than STEM_UNITS_MAX only the beginning counts; the form of a folded word is that of the word. */
export const formOf = (word: string): WordForm => {
  if (word.length <= STEM_UNITS_MAX) return known.getOrSet(word, computeForm)
  return computeForm(word.slice(0, STEM_UNITS_MAX).toWellFormed())
}

const computeForm = (word: string): WordForm => {
  const folded = fold(word)
  return { folded, stem: stemOf(folded) }
}

export const stem = (word: string): string => formOf(word).stem

export const isCyrillic = (word: string): boolean => /\p{Script=Cyrillic}/u.test(word)

/** Of a folded word; nothing is remembered of it. */
export const stemOf = (folded: string): string =>
  isCyrillic(folded) ? cyrillicStem(folded) : /^[a-z]+$/u.test(folded) ? englishStem(folded) : folded

/** The forms of the words of a text in order, without their places: what an index keeps. */
export const wordForms = (text: string): ReadonlyArray<WordForm> => {
  const found: Array<WordForm> = []
  for (const word of text.match(WORD) ?? []) {
    const form = formOf(word)
    if (form.folded !== "") found.push(form)
  }
  return found
}

/** A form at the place of its word. */
interface PlacedForm extends Word, WordForm {}

/** The words of a text in order. */
export const words = (text: string): ReadonlyArray<Word> =>
  placedForms(text).map(({ from, stem, to }) => ({ stem, from, to }))

/** The words of a text in order, with their folded spelling. */
export const placedForms = (text: string): ReadonlyArray<PlacedForm> => {
  const found: Array<PlacedForm> = []
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
    found.push({ ...formOf(match[0]), from, to: pointsTo(match.index + match[0].length) })
  }
  return found
}

/** Messages on each side that belong to a passage of a short conversation, and of a long one. */
const NEIGHBOURS = 1
const NEIGHBOURS_LONG = 2
/** Texts of a short conversation: in a longer one a matter is spread over more of them. */
const SHORT_TEXTS_MAX = 12
/** Words of a usual passage, in words of a usual text. */
export const PASSAGE_TEXTS = 2 * NEIGHBOURS + 1

/** Messages on each side that belong to a passage, of an appeal of so many texts. */
export const adjacentIn = (texts: number): number => (texts > SHORT_TEXTS_MAX ? NEIGHBOURS_LONG : NEIGHBOURS)

/** One text of a document at its place, and the length of the passage around it. */
export interface Passage {
  /** From 0 without gaps: the heading first, then the texts in order. */
  readonly position: number
  /** Null: the heading. */
  readonly messageId: number | null
  /** Words of the text: these make a document match. */
  readonly text: ReadonlyArray<WordForm>
  /** Words of the speaker's name: these only weigh. */
  readonly speaker: ReadonlyArray<WordForm>
  /** Words of this text and its neighbours, names included. */
  readonly words: number
}

export interface PassagesOfDocument {
  readonly passages: ReadonlyArray<Passage>
  /** Words of the whole document, names included. */
  readonly words: number
}

/** Everything of a document that can be searched; nothing for one that is too long to be. */
export const passagesOf = (document: IndexedDocument): PassagesOfDocument => {
  if (document.texts === null) return { passages: [], words: 0 }
  const texts: Array<Omit<Passage, "position" | "words">> = []
  const heading = document.heading === null ? [] : wordForms(document.heading)
  if (heading.length > 0) texts.push({ messageId: null, text: heading, speaker: [] })
  const speakers = new Map<string, ReadonlyArray<WordForm>>()
  for (const message of document.texts) {
    texts.push({
      messageId: message.id,
      text: wordForms(message.text),
      speaker: message.speaker === null ? [] : memo(speakers, message.speaker, wordForms)
    })
  }
  const lengths = texts.map((one) => one.text.length + one.speaker.length)
  return {
    passages: texts.map((one, position) => ({ ...one, position, words: around(lengths, position) })),
    words: lengths.reduce((sum, length) => sum + length, 0)
  }
}

const around = (lengths: ReadonlyArray<number>, position: number): number => {
  const neighbours = adjacentIn(lengths.length)
  let sum = 0
  for (let i = position - neighbours; i <= position + neighbours; i++) sum += lengths[i] ?? 0
  return sum
}

const memo = <A>(map: Map<string, A>, key: string, make: (key: string) => A): A => {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make(key)
  map.set(key, made)
  return made
}

/** Names and text as `termCounter` reads them: folded words, separated by spaces. */
export const countedText = ({ speaker, text }: Pick<Passage, "speaker" | "text">): string => {
  let counted = ""
  for (const { folded } of speaker) counted += counted === "" ? folded : ` ${folded}`
  for (const { folded } of text) counted += counted === "" ? folded : ` ${folded}`
  return counted
}
