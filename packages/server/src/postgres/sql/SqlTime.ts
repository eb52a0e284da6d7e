// Converts between epoch milliseconds and times of PostgreSQL.
import { isoOf } from "@rapport/contract/values/Time.ts"
import { type Fragment, sql } from "./Fragment.ts"

export const timeOf = (millis: number | null): Fragment =>
  sql`${millis === null ? null : isoOf(millis)}::timestamptz`

/** SQL of a time in the form of the wire. `time` is trusted SQL. */
export const wireTime = (time: string): string =>
  `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** SQL of epoch milliseconds. `time` is trusted SQL. */
export const epochMillis = (time: string): string => `floor(extract(epoch from ${time}) * 1000)::float8`
