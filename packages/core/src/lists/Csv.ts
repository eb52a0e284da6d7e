// Lines of a CSV file (RFC 4180) that spreadsheets never read as formulas (contract §1.2, §9.2, §9.3).
import { Predicate } from "effect"

/** Rows that are read together while a file is written. */
export const CSV_PAGE_ROWS = 500

export type Cell = string | number | boolean | null | undefined

const quoted = /[",;\t\r\n]/u
/**
 * Spreadsheets skip white space and invisible characters before a sign and accept full-width signs. Those that split cells
 * at `;` or at tabs ignore a quote within a cell, so that every part of a text may become a cell.
 */
const formulas = /(^|[;\t\r\n])(?=[\s;\p{Cc}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠﹦﹢﹣﹫])/gu

/** A part of a text that a spreadsheet would read as a formula gets an apostrophe in front; numbers stay as they are. */
const cellText = (cell: Cell): string => {
  if (cell === null || cell === undefined) return ""
  if (typeof cell !== "string") return String(cell)
  const text = cell.replaceAll(formulas, "$1'")
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The cell of a member: an array of scalars as a list, other arrays and objects as JSON. */
export const memberCell = (value: unknown): Cell => {
  if (value === null || value === undefined) return null
  if (Array.isArray(value) && !value.some((item) => Predicate.isObjectOrArray(item))) return value.join(", ")
  return isCell(value) ? value : JSON.stringify(value)
}
const isCell = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** One line with its line break. */
export const csvLine = (cells: ReadonlyArray<Cell>): string => `${cells.map(cellText).join(",")}\r\n`

/** The first line. Excel reads a file without a byte order mark in the encoding of the machine. */
export const csvHeader = (names: ReadonlyArray<string>): string => `\uFEFF${csvLine(names)}`
