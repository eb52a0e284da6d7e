// A parameter with an array of ids. Without the cast the driver guesses its type from the values.
import type { SqlClient, Statement } from "effect/sql"

export const idArray = (sql: SqlClient.SqlClient, ids: ReadonlyArray<number>): Statement.Fragment =>
  sql`${ids.map(String)}::text[]::int8[]`
