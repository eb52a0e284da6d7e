// A text as the search compares it: its words, folded and stemmed for English, Ukrainian and Russian, with their places, and a document as
// passages of them (a message with the adjacent ones).
import { BoundedMap } from "../../values/BoundedMap.ts"
import { memoize } from "../../values/Memoize.ts"
import { fold } from "./Fold.ts"
import { cyrillicStem, englishStem } from "./Stems.ts"
import { cutWords, STEM_UNITS_MAX } from "./WordParts.ts"
import type { IndexedDocument } from "../DocumentProjection.ts"

/** Forms of words in the cache of a thread. */
const STEMS_KEPT_MAX = 100_000

/** A word at its half-open range of code points. */
interface Word {
  readonly stem: string
  readonly from: number
  readonly to: number
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

/** Of a folded word, not cached. Numbers and codes have no other forms. */
export const stemOf = (folded: string): string =>
  /\p{N}/u.test(folded)
    ? folded
    : isCyrillic(folded)
      ? cyrillicStem(folded)
      : /^[a-z]+$/u.test(folded)
        ? englishStem(folded)
        : folded

/** The forms of the words of a text in order, with the parts of codes and numbers: what an index keeps. */
export const wordForms = (text: string): ReadonlyArray<WordForm> => formsAndLength(text).forms

/** Also the length of the text in words. A part or another spelling of a word overlaps it and makes no text longer. */
const formsAndLength = (text: string) => {
  const forms: Array<WordForm> = []
  let length = 0
  let end = 0
  cutWords(text, (word, from, to) => {
    addForm(forms, word)
    if (from < end) return
    length++
    end = to
  })
  return { forms, length }
}

/** The forms of the words that a query means, in order: of a code or a number the whole. */
export const queryForms = (query: string): ReadonlyArray<WordForm> => {
  const found: Array<WordForm> = []
  cutWords(query, (word, _, __, inQuery) => {
    if (inQuery) addForm(found, word)
  })
  return found
}

const addForm = (found: Array<WordForm>, word: string): void => {
  const form = formOf(word)
  if (form.folded !== "") found.push(form)
}

/** A form at the place of its word. */
interface PlacedForm extends Word, WordForm {}

/** The words of a text in order. */
export const words = (text: string): ReadonlyArray<Word> =>
  placedForms(text).map(({ from, stem, to }) => ({ stem, from, to }))

/** The words of a text in order, with their folded spelling; a code comes before its parts. */
export const placedForms = (text: string): ReadonlyArray<PlacedForm> => {
  const pointsTo = pointCounter(text)
  const found: Array<PlacedForm> = []
  cutWords(text, (word, from, to) => found.push({ ...formOf(word), from: pointsTo(from), to: pointsTo(to) }))
  return found
}

/** Code points before an index of UTF-16 units; fast for indexes that rise, or fall a little. */
const pointCounter = (text: string): ((index: number) => number) => {
  let units = 0
  let points = 0
  return (index) => {
    for (; units < index; points++) units += isPair(text, units) ? 2 : 1
    for (; units > index; points--) units -= isPair(text, units - 2) ? 2 : 1
    return points
  }
}

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff

/** Messages on each side that belong to a passage of a short conversation, and of a long one. */
const ADJACENT = 1
const ADJACENT_LONG = 2
/** Texts of a short conversation: in a longer one a matter is spread over more of them. */
const SHORT_TEXTS_MAX = 12
/** Words of a usual passage, in words of a usual text. */
export const PASSAGE_TEXTS = 2 * ADJACENT + 1

/** Messages on each side that belong to a passage, of an appeal of so many texts. */
export const adjacentIn = (texts: number): number => (texts > SHORT_TEXTS_MAX ? ADJACENT_LONG : ADJACENT)

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
  /** Words of this text and the adjacent ones, names included. */
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
  const lengths: Array<number> = []
  const add = (messageId: number | null, text: string, speaker: ReadonlyArray<WordForm>): void => {
    const { forms, length } = formsAndLength(text)
    if (messageId === null && forms.length === 0) return
    texts.push({ messageId, text: forms, speaker })
    lengths.push(length + speaker.length)
  }
  add(null, document.heading ?? "", [])
  const formsOf = memoize(wordForms)
  for (const message of document.texts)
    add(message.id, message.text, message.speaker === null ? [] : formsOf(message.speaker))
  return {
    passages: texts.map((one, position) => ({ ...one, position, words: around(lengths, position) })),
    words: lengths.reduce((sum, length) => sum + length, 0)
  }
}

const around = (lengths: ReadonlyArray<number>, position: number): number => {
  const adjacent = adjacentIn(lengths.length)
  let sum = 0
  for (let i = position - adjacent; i <= position + adjacent; i++) sum += lengths[i] ?? 0
  return sum
}

/** Names and text as `termCounter` reads them: folded words, separated by spaces. */
export const countedText = ({ speaker, text }: Pick<Passage, "speaker" | "text">): string => {
  let counted = ""
  for (const { folded } of speaker) counted += counted === "" ? folded : ` ${folded}`
  for (const { folded } of text) counted += counted === "" ? folded : ` ${folded}`
  return counted
}
