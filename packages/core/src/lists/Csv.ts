// Lines of a file of comma-separated values, by RFC 4180, that a spreadsheet reads as text and never as formulas
// (docs/contract.md §9.2, §9.3).

/** Rows of a list that a file is written from at once. */
export const CSV_PAGE_ROWS = 500

export type Cell = string | number | boolean | null | undefined

const quoted = /[",\r\n]/u
const formula = /^[=+\-@]/u

/** A text that a spreadsheet would read as a formula gets an apostrophe in front; numbers stay as they are. */
const cellText = (cell: Cell): string => {
  if (cell === null || cell === undefined) return ""
  if (typeof cell !== "string") return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line with its end. */
export const csvLine = (cells: ReadonlyArray<Cell>): string => `${cells.map(cellText).join(",")}\r\n`
