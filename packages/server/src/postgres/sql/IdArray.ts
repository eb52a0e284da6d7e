// Ids of a request as a parameter: an array of whatever length and size, which the driver would guess the type of.
import type { SqlClient, Statement } from "effect/sql"

export const idArray = (sql: SqlClient.SqlClient, ids: ReadonlyArray<number>): Statement.Fragment =>
  sql`${ids.map(String)}::text[]::int8[]`
