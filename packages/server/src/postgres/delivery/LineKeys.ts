// Deliveries and their lines in SQL: kinds, keys and locks (contract §8).
import type { Fragment, Sql } from "../sql/Fragment.ts"

/** Condition on a column `kind`: the delivery sends the message, and not its edit or deletion. */
export const isMessage = "kind not in ('edit', 'delete')"

/** The columns of a row that are the key of its line. */
export const lineKey = (row: string): string =>
  `${row}.instance_id, ${row}.bot_id, ${row}.channel, ${row}.chat_id`

/** Condition: two rows have the same line. */
export const isSameLine = (a: string, b: string): string => `(${lineKey(a)}) = (${lineKey(b)})`

/** Locks the lines with these keys in the order of every enqueue and settlement. The next statement sees their new deliveries. */
export const lockLines = (sql: Sql, keys: Fragment) =>
  sql`select 1 from delivery_lines line where (${sql.literal(lineKey("line"))}) in (${keys})
    order by ${sql.literal(lineKey("line"))} for update`
