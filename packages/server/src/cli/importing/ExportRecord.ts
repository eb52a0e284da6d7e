// Reads members of the records of another product, whose types the product decides.
import { Predicate } from "effect"

export type ExportRecord = Readonly<Record<string, unknown>>

export const objectIn = (record: ExportRecord, name: string): ExportRecord => {
  const value = record[name]
  return Predicate.isReadonlyObject(value) ? value : {}
}

export const objectsIn = (record: ExportRecord, name: string): ReadonlyArray<ExportRecord> => {
  const value = record[name]
  return Array.isArray(value) ? value.filter(Predicate.isReadonlyObject) : []
}

/** A text or a number as a text; undefined without characters. */
export const textIn = (record: ExportRecord, name: string): string | undefined => {
  const value = record[name]
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : ""
  return text === "" ? undefined : text
}

export const textsIn = (record: ExportRecord, name: string): ReadonlyArray<string> => {
  const value = record[name]
  return Array.isArray(value) ? value.filter(Predicate.isString) : []
}

/** ISO 8601 of seconds since 1970 or of a time as text. Another text stays as it is, so that the record is refused. */
export const timeIn = (record: ExportRecord, name: string): string | undefined => {
  const value = record[name]
  const text = textIn(record, name)
  const time = new Date(typeof value === "number" ? value * 1_000 : (text ?? NaN))
  return Number.isNaN(time.getTime()) ? text : time.toISOString()
}

/** Without the members that are undefined. */
export const present = (members: ExportRecord): ExportRecord =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** The line of a client. Without an id it is refused with its conversation, because one client must not get those of several people. */
export const clientLine = (
  externalId: string | undefined,
  { name, ...members }: ExportRecord
): ExportRecord => ({
  kind: "client",
  ...present({ externalId, name: name ?? members["email"] ?? members["phone"] ?? externalId, ...members })
})

/** A rating; undefined without a score or a time. */
export const makeRating = (
  score: unknown,
  comment: string | undefined,
  occurredAt: string | undefined
): ExportRecord | undefined =>
  typeof score === "number" && occurredAt !== undefined ? present({ score, comment, occurredAt }) : undefined

interface ImportedMessage extends ExportRecord {
  readonly text: string
  readonly occurredAt: string
}

/** In the order of time, without those that have no text or time. */
export const messagesOf = (messages: ReadonlyArray<ExportRecord>): ReadonlyArray<ExportRecord> =>
  messages
    .filter(
      (message): message is ImportedMessage =>
        typeof message["text"] === "string" &&
        message["text"] !== "" &&
        typeof message["occurredAt"] === "string"
    )
    .toSorted((a, b) => Date.parse(a.occurredAt) - Date.parse(b.occurredAt))
    .map(present)

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: " "
}

/** The text of a message in HTML, with its line breaks. */
export const plainText = (html: string): string =>
  html
    .replaceAll(/<br\s*\/?>|<\/(?:p|div|li)>/giu, "\n")
    .replaceAll(/<[^>]*>/gu, "")
    .replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/gu, (whole, name: string) => entities[name] ?? whole)
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim()

/** The text, then the addresses of files, which are not copied. */
export const withFiles = (
  text: string | undefined,
  files: ReadonlyArray<ExportRecord>,
  address: string
): string => [text, ...files.map((file) => textIn(file, address))].filter(Predicate.isString).join("\n")
