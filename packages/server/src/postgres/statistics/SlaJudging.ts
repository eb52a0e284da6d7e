// How a dialogue is judged by the target of its subject, in SQL: working milliseconds between two moments are looked up in the
// stretches of the calendar (docs/contract.md §9.3).
import type { Judging } from "@rapport/core/statistics/StatisticsStore.ts"
import type { SqlClient, Statement } from "effect/sql"

type Sql = SqlClient.SqlClient

/** Nothing, where the driver could not tell the type of an array of nulls. */
const ABSENT = ""
const texts = (values: ReadonlyArray<number | null>): ReadonlyArray<string> =>
  values.map((value) => (value === null ? ABSENT : String(value)))

/** The tables `target`, a row for each subject, and `hours`, a row of parallel arrays for each calendar that works at all. */
export const judgedTables = (sql: Sql, { calendars, targets }: Judging): Statement.Fragment => {
  const stretches = calendars.flatMap(({ id, worked }) => worked.map((stretch) => ({ id, ...stretch })))
  return sql`target as materialized (
      select t.subject_id::int8 as subject_id, nullif(t.tfr, '')::float8 * 1000 as tfr_ms,
        nullif(t.ttc, '')::float8 * 1000 as ttc_ms, nullif(t.calendar, '')::int8 as calendar_id
      from unnest(${texts(targets.map((t) => t.subjectId))}::text[], ${texts(targets.map((t) => t.tfrSec))}::text[],
        ${texts(targets.map((t) => t.ttcSec))}::text[], ${texts(targets.map((t) => t.calendarId))}::text[])
        as t(subject_id, tfr, ttc, calendar)),
    hours as materialized (
      select w.calendar_id, array_agg(w.start order by w.start) as starts, array_agg(w.millis order by w.start) as millis,
        array_agg(w.before order by w.start) as befores
      from unnest(${texts(stretches.map((s) => s.id))}::text[]::int8[],
        ${texts(stretches.map((s) => s.from))}::text[]::float8[],
        ${texts(stretches.map((s) => s.millis))}::text[]::float8[],
        ${texts(stretches.map((s) => s.before))}::text[]::float8[]) as w(calendar_id, start, millis, before)
      group by w.calendar_id)`
}

/** Working milliseconds of `hours h` up to a moment; 0 where the calendar never works. */
const workedUntil = (moment: string): string => {
  const place = `width_bucket(${moment}, h.starts)`
  return `coalesce(case ${place} when 0 then 0 else h.befores[${place}]
    + least(${moment} - h.starts[${place}], h.millis[${place}]) end, 0)`
}
const elapsed = (end: string): string => `case when t.calendar_id is null then ${end} - a.created_ms
  else ${workedUntil(end)} - ${workedUntil("a.created_ms")} end`

/**
 * Columns of `dialogues a`, `target t`, `hours h`: whether the response and the close came, and whether it took, or takes,
 * more than the target. Null, which counts nowhere, where the subject has no such target.
 */
export const judgedColumns = (sql: Sql, now: number): Statement.Fragment => {
  const present = `${now}::float8`
  const closed = `coalesce(a.created_ms + a.ttc_ms, ${present})`
  const answered = `coalesce(a.created_ms + a.tfr_ms, ${closed})`
  return sql.literal(`a.status,
    case when t.tfr_ms is not null then a.tfr_ms is not null end as tfr_ended,
    ${elapsed(answered)} > t.tfr_ms as tfr_over,
    case when t.ttc_ms is not null then a.status = 'closed' end as ttc_ended,
    ${elapsed(closed)} > t.ttc_ms as ttc_over`)
}
