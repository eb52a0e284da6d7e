// Reads members of the records of another product, whose types the product decides.
import { Predicate } from "effect"

export type ExportRecord = Readonly<Record<string, unknown>>

/** A line of an import file (docs/moving-in.md). */
export type ImportLine = Readonly<Record<string, unknown>> & { readonly kind: string }

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

/** ISO 8601 of seconds since 1970 or of a time as text. */
export const timeIn = (record: ExportRecord, name: string): string | undefined => {
  const value = record[name]
  const millis =
    typeof value === "number" ? value * 1_000 : typeof value === "string" ? Date.parse(value) : NaN
  return Number.isFinite(millis) ? new Date(millis).toISOString() : undefined
}

/** Without the members that are undefined. */
export const present = (members: ExportRecord): ExportRecord =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

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
