// Lines of a CSV file (RFC 4180) that spreadsheets never read as formulas (contract §9.2, §9.3).

/** Rows that are read together while a file is written. */
export const CSV_PAGE_ROWS = 500

export type Cell = string | number | boolean | null | undefined

const quoted = /[",;\t\r\n]/u
/** Spreadsheets skip white space and invisible characters before a sign, split cells at `;` and accept full-width signs. */
const formula = /^[\s;\p{Cc}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠﹦﹢﹣﹫]/u

/** A text that a spreadsheet would read as a formula gets an apostrophe in front; numbers stay as they are. */
const cellText = (cell: Cell): string => {
  if (cell === null || cell === undefined) return ""
  if (typeof cell !== "string") return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line with its line break. */
export const csvLine = (cells: ReadonlyArray<Cell>): string => `${cells.map(cellText).join(",")}\r\n`
