// A document as the search sees it: its passages (a message with its neighbours) and the whole, in words.
import type { IndexedDocument } from "../DocumentProjection.ts"
import { familyIn } from "./Terms.ts"
import { type WordForm, wordForms } from "./Words.ts"

/** Messages on each side that belong to a passage of a short conversation, and of a long one. */
const NEIGHBOURS = 1
const NEIGHBOURS_LONG = 2
/** Texts of a short conversation: in a longer one a matter is spread over more of them. */
const SHORT_TEXTS_MAX = 12
/** Words of a usual passage, in words of a usual text. */
export const PASSAGE_TEXTS = 2 * NEIGHBOURS + 1

/** Messages on each side that belong to a passage, of an appeal of so many texts. */
export const neighboursIn = (texts: number): number =>
  texts > SHORT_TEXTS_MAX ? NEIGHBOURS_LONG : NEIGHBOURS

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
  const neighbours = neighboursIn(lengths.length)
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

/** Families of the words of a text, each once. */
export const familiesIn = (text: ReadonlyArray<WordForm>): ReadonlySet<string> =>
  new Set(text.flatMap((word) => familyIn(word) ?? []))

/** Names and text as `termCounter` reads them: folded words, separated by spaces. */
export const countedText = ({ speaker, text }: Pick<Passage, "speaker" | "text">): string => {
  let counted = ""
  for (const { folded } of speaker) counted += counted === "" ? folded : ` ${folded}`
  for (const { folded } of text) counted += counted === "" ? folded : ` ${folded}`
  return counted
}
