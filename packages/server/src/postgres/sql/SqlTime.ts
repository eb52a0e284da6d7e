// Times between the service, which counts epoch milliseconds, and PostgreSQL.
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { SqlClient, Statement } from "effect/sql"

/** A time as a parameter. */
export const timeOf = (sql: SqlClient.SqlClient, millis: number | null): Statement.Fragment =>
  sql`${millis === null ? null : isoOf(millis)}::timestamptz`

/** SQL of a time as the wire shows it; `time` is text of ours. */
export const wireTime = (time: string): string =>
  `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** SQL of a time's epoch milliseconds; `time` is text of ours. */
export const epochMillis = (time: string): string => `floor(extract(epoch from ${time}) * 1000)::float8`
