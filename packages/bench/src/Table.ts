// Tables of Markdown, for terminals and documents.

type Row = ReadonlyArray<string>

/** Columns are as wide as their widest cell; the first is text, the others are numbers. */
export const table = (header: Row, rows: ReadonlyArray<Row>): string => {
  const widths = header.map((name, column) =>
    Math.max(3, name.length, ...rows.map((row) => row[column]?.length ?? 0))
  )
  const line = (row: Row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`
  return [line(header), rule, ...rows.map(line)].join("\n")
}

/** Minimum, median and maximum; one value stands for itself. */
export const spread = (values: ReadonlyArray<number>, digits: number): string => {
  const sorted = values.toSorted((a, b) => a - b)
  const places = sorted.length === 1 ? [0] : [0, sorted.length >> 1, sorted.length - 1]
  return places
    .map((place) => sorted[place] ?? 0)
    .map((value) => value.toFixed(digits))
    .join(" / ")
}
