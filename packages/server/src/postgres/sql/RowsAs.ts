// Rows that a statement gets as one JSON parameter.
import { type Fragment, sql } from "./Fragment.ts"
import { nameOf, typeOf } from "./Columns.ts"

/** The value of each column, by `name type`. A column without a value is null. */
export type Row = Readonly<Record<`${string} ${string}`, unknown>>

/**
 * A table of `from`: at least one row, each with its `place` from 1. For a record the planner expects one row and looks up the rows that
 * it names; for a set it expects 100, and would read all rows of an instance with fewer.
 */
export const rowsAs = (table: string, rows: ReadonlyArray<Row>): Fragment => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].toSorted()
  const types = columns.map((column) => `"${column}" ${typeOf(column)}`)
  const records =
    rows.length === 1
      ? sql`json_to_record(${JSON.stringify(rows[0])}::text::json)`
      : sql`json_to_recordset(${JSON.stringify(rows)}::text::json)`
  return sql`rows from (${records} as (${sql.literal(types.join(", "))}))
    with ordinality as ${sql.literal(`${table}(${columns.map(nameOf).join(", ")}, place)`)}`
}
