// Some records of a model as columns: an array of numbers, or one text that holds the texts of all of them. What a condition
// asks of a hundred thousand records is then read in a few milliseconds (docs/performance.md).
import type { StoredField } from "@rapport/core/records/RecordStore.ts"
import { kindOf } from "../ValueIndex.ts"
import { type Grams, gramsOf } from "./Grams.ts"

/** A record as it is read: in the order of the layout, null when empty. */
export type Row = ReadonlyArray<number | string | null>

/** What has a column: its key is the field's id, or a member of every record. */
interface LaidOut {
  readonly key: number | "id" | "createdAt" | "updatedAt"
  /** Numbers as doubles, texts in small letters; `same` is a hash of a text as it was written, which equal texts share. */
  readonly as: "number" | "text" | "same"
}
export type Layout = ReadonlyArray<LaidOut>

const isOfText = ({ type }: StoredField): boolean => kindOf(type) === "text"

/** The id stands first. */
export const layoutOf = (fields: ReadonlyArray<StoredField>): Layout => [
  ...(["id", "createdAt", "updatedAt"] as const).map((key) => ({ key, as: "number" as const })),
  ...fields.map((field) => ({
    key: field.id,
    as: isOfText(field) ? ("text" as const) : ("number" as const)
  })),
  ...fields.filter(isOfText).map(({ id }) => ({ key: id, as: "same" as const }))
]

/** NaN where a record has none; `least` and `most` of the others. */
export interface Numbers {
  readonly values: Float64Array
  readonly least: number
  readonly most: number
}
/** Each text with a NUL before it, which no text holds, and one at the end. */
export interface Texts {
  readonly joined: string
  /** Where each begins, and where one behind the last would. */
  readonly starts: Int32Array
  readonly held: Uint8Array
  readonly grams: Grams
}

/** Records in the order of their ids. */
export interface Block {
  readonly size: number
  readonly columns: ReadonlyArray<Numbers | Texts>
  /** Of memory, about. */
  readonly bytes: number
}

export const SEPARATOR = "\u0000"
/**
 * Records of a block, and characters of its texts, above which it is made two: the most repetitive word and text of that length
 * take 15 ms, of the longest record 30.
 */
const BLOCK_RECORDS_MAX = 512
const BLOCK_CHARACTERS_MAX = 131_072
const CHARACTER_BYTES = 2

export const isTexts = (column: Numbers | Texts | undefined): column is Texts =>
  column !== undefined && "joined" in column
export const isNumbers = (column: Numbers | Texts | undefined): column is Numbers =>
  column !== undefined && "values" in column

const numbersOf = (rows: ReadonlyArray<Row>, place: number): Numbers => {
  const values = new Float64Array(rows.length)
  let [least, most] = [Infinity, -Infinity]
  for (const [i, row] of rows.entries()) {
    const value = row[place]
    values[i] = typeof value === "number" ? value : Number.NaN
    if (typeof value !== "number") continue
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  return { values, least, most }
}

const textsOf = (rows: ReadonlyArray<Row>, place: number): Texts => {
  const starts = new Int32Array(rows.length + 1)
  const held = new Uint8Array(rows.length)
  const parts = [""]
  let at = 1
  for (const [i, row] of rows.entries()) {
    const value = row[place]
    const text = typeof value === "string" ? value : ""
    starts[i] = at
    held[i] = typeof value === "string" ? 1 : 0
    parts.push(text)
    at += text.length + 1
  }
  starts[rows.length] = at
  const joined = [...parts, ""].join(SEPARATOR)
  return { joined, starts, held, grams: gramsOf(joined, starts) }
}

const blockOf = (layout: Layout, rows: ReadonlyArray<Row>): Block => {
  const columns = layout.map(({ as }, place) =>
    as === "text" ? textsOf(rows, place) : numbersOf(rows, place)
  )
  const bytes = columns
    .map((column) =>
      isTexts(column)
        ? column.joined.length * CHARACTER_BYTES +
          column.starts.byteLength +
          column.held.byteLength +
          column.grams.buckets.byteLength
        : column.values.byteLength
    )
    .reduce((sum, one) => sum + one, 0)
  return { size: rows.length, columns, bytes }
}

const charactersOf = (row: Row): number =>
  row.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0)

/** Blocks of rows that are in the order of their ids. */
export const blocksOf = (layout: Layout, rows: ReadonlyArray<Row>): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let waiting: Array<Row> = []
  let characters = 0
  for (const row of rows) {
    const more = charactersOf(row)
    if (
      waiting.length === BLOCK_RECORDS_MAX ||
      (characters + more > BLOCK_CHARACTERS_MAX && characters > 0)
    ) {
      blocks.push(blockOf(layout, waiting))
      waiting = []
      characters = 0
    }
    waiting.push(row)
    characters += more
  }
  return waiting.length === 0 ? blocks : [...blocks, blockOf(layout, waiting)]
}

/** The rows that a block was made of. */
const rowsOf = ({ columns, size }: Block): ReadonlyArray<Row> =>
  Array.from({ length: size }, (_, i) =>
    columns.map((column) => {
      if (isTexts(column)) return column.held[i] === 1 ? textAt(column, i) : null
      const value = column.values[i] ?? Number.NaN
      return Number.isNaN(value) ? null : value
    })
  )

/** The text of a record; empty where it has none. */
export const textAt = ({ joined, starts }: Texts, i: number): string =>
  joined.substring(starts[i] ?? 0, (starts[i + 1] ?? 1) - 1)

export const idOf = ({ columns: [ids] }: Block, i: number): number =>
  isNumbers(ids) ? (ids.values[i] ?? 0) : 0

const byId = (one: Row, other: Row): number => Number(one[0]) - Number(other[0])

/** The block without these records and with those rows, as one block or several; none where nothing is left. */
export const withRows = (
  layout: Layout,
  block: Block | undefined,
  gone: ReadonlySet<number>,
  rows: ReadonlyArray<Row>
): ReadonlyArray<Block> => {
  const kept = block === undefined ? [] : rowsOf(block).filter(([id]) => !gone.has(Number(id)))
  return blocksOf(layout, [...kept, ...rows].toSorted(byId))
}
