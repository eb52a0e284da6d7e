// Splits a text that is too long for one Telegram message; lengths are UTF-16 code units, as in Telegram (contract §8).

import type { Attachment } from "@rapport/contract/files/FilesApi.ts"

/** Code units of one message of the Bot API. */
export const TELEGRAM_TEXT_UNITS_MAX = 4_096
/** A cut between lines, sentences or words leaves a part of at least this much. */
const PART_UNITS_MIN = TELEGRAM_TEXT_UNITS_MAX / 2

export interface TelegramPart {
  readonly text: string
  /** Code units of the whole text up to the end of this part. */
  readonly endsAt: number
  readonly isLast: boolean
}

/** The next part after `sentUnits`. A text that fits is unchanged; no part of a longer text is blank. */
export const telegramPart = (text: string, sentUnits: number): TelegramPart => {
  if (text.length <= TELEGRAM_TEXT_UNITS_MAX) return { text, endsAt: text.length, isLast: true }
  const rest = text.slice(sentUnits)
  const blank = rest.length - rest.trimStart().length
  const from = sentUnits + blank
  const end = from + partLength(text.slice(from))
  const isLast = text.slice(end).trim() === ""
  return { text: text.slice(from, end).trimEnd(), endsAt: isLast ? text.length : end, isLast }
}

/** Code units of a caption of the Bot API. */
export const TELEGRAM_CAPTION_UNITS_MAX = 1_024

export interface TelegramFile {
  readonly file: Attachment
  /** The text of the message, if it fits below the first file. */
  readonly caption: string
  /** Code units of the text, and 1 for each file up to this one. */
  readonly sentUnits: number
  readonly isLast: boolean
}

/** The next file after `sentUnits`; undefined while a part of the text comes first, and of a message without files. */
export const telegramFile = (
  text: string,
  attachments: ReadonlyArray<Attachment>,
  sentUnits: number
): TelegramFile | undefined => {
  const isCaption = text.length <= TELEGRAM_CAPTION_UNITS_MAX
  if (!isCaption && sentUnits < text.length) return undefined
  const place = Math.max(0, sentUnits - text.length)
  const file = attachments[place]
  return (
    file && {
      file,
      caption: isCaption && place === 0 ? text : "",
      sentUnits: text.length + place + 1,
      isLast: place === attachments.length - 1
    }
  )
}

/** Code units of a text up to the best place to cut it: an empty line, a line, a sentence, a word, a character. */
const partLength = (text: string): number => {
  if (text.length <= TELEGRAM_TEXT_UNITS_MAX) return text.length
  const fitting = text.slice(0, TELEGRAM_TEXT_UNITS_MAX)
  for (const border of [/\n\s*\n/gu, /\n/gu, /[.!?…]["'»”)\]]*\s/gu, /\s/gu]) {
    const last = [...fitting.matchAll(border)].at(-1)
    const end = last === undefined ? 0 : last.index + last[0].length
    if (end >= PART_UNITS_MIN) return end
  }
  return wholeCharacters(text)
}

/** Cuts between grapheme clusters, such as a flag or a letter with its accent. */
const wholeCharacters = (text: string): number => {
  const beginning = text.slice(0, TELEGRAM_TEXT_UNITS_MAX + 64)
  const cut = segmenter.segment(beginning).containing(TELEGRAM_TEXT_UNITS_MAX)?.index ?? 0
  if (cut >= PART_UNITS_MIN) return cut
  const isLow = /^[\uDC00-\uDFFF]/u.test(text.slice(TELEGRAM_TEXT_UNITS_MAX, TELEGRAM_TEXT_UNITS_MAX + 1))
  return TELEGRAM_TEXT_UNITS_MAX - (isLow ? 1 : 0)
}

const segmenter = new Intl.Segmenter("uk", { granularity: "grapheme" })
