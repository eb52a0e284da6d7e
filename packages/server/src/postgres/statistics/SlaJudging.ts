// How a dialogue is judged by the target of its subject, in SQL: working milliseconds between two moments are looked up in the
// stretches of the calendar (contract §9.3).
import { verdicts } from "@rapport/contract/statistics/Dialogue.ts"
import type { TargetRules } from "@rapport/core/statistics/StatisticsStore.ts"
import type { Worked } from "@rapport/core/statistics/WorkingTime.ts"
import type { SqlClient, Statement } from "effect/sql"

type Sql = SqlClient.SqlClient

/** Nothing, where the driver could not tell the type of an array of nulls. */
const ABSENT = ""
const texts = (values: ReadonlyArray<number | null>): ReadonlyArray<string> =>
  values.map((value) => (value === null ? ABSENT : String(value)))

/** The tables `target`, a row for each priority of a subject, and `hours`, a row of parallel arrays for each calendar that works at all. */
export const judgedTables = (sql: Sql, { calendars, targets }: TargetRules): Statement.Fragment => {
  const working = calendars.filter(({ worked }) => worked.length > 0)
  const arrays = (member: keyof Worked) =>
    working.map(({ worked }) => `{${worked.map((stretch) => stretch[member]).join(",")}}`)
  return sql`target as not materialized (
      select target.subject_id::int8 as subject_id, target.priority, nullif(target.tfr, '')::float8 * 1000 as tfr_ms,
        nullif(target.ttc, '')::float8 * 1000 as ttc_ms, nullif(target.calendar, '')::int8 as calendar_id
      from unnest(${texts(targets.map((t) => t.subjectId))}::text[], ${targets.map((t) => t.priority)}::text[],
        ${texts(targets.map((t) => t.tfrSec))}::text[], ${texts(targets.map((t) => t.ttcSec))}::text[],
        ${texts(targets.map((t) => t.calendarId))}::text[]) as target(subject_id, priority, tfr, ttc, calendar) offset 0),
    hours as not materialized (
      select worked.calendar_id, worked.starts::float8[] as starts, worked.millis::float8[] as millis,
        worked.befores::float8[] as befores
      from unnest(${texts(working.map(({ id }) => id))}::text[]::int8[], ${arrays("from")}::text[],
        ${arrays("millis")}::text[], ${arrays("before")}::text[])
        as worked(calendar_id, starts, millis, befores) offset 0)`
}

/** Working milliseconds of `hours` up to a moment; 0 where the calendar never works. */
const workedUntil = (moment: string): string => {
  const place = `width_bucket(${moment}, hours.starts)`
  return `coalesce(case ${place} when 0 then 0 else hours.befores[${place}]
    + least(${moment} - hours.starts[${place}], hours.millis[${place}]) end, 0)`
}
/** Working time is at most elapsed time: most dialogues are within their target without the calendar. */
const over = (
  start: string,
  end: string,
  target: string
): string => `case when ${end} - ${start} <= ${target} then false
  when target.calendar_id is null then true
  else ${workedUntil(end)} - ${workedUntil(start)} > ${target} end`

/** Of `dialogues a`, behind which come the target of its subject and the hours of the calendar. */
export const judgedJoins = `left join target on target.subject_id = a.subject_id and target.priority = a.priority
  left join hours on hours.calendar_id = target.calendar_id`

/**
 * How the response or the close compares with its target, as a place in `verdicts`. Null where the subject has no such target, and
 * where a dialogue was closed without an answer in time, or where nobody waits.
 */
const verdict = (measure: "tfr" | "ttc", now: number): string => {
  const closed = `coalesce(a.ttc_from_ms + a.ttc_ms, ${now}::float8)`
  const answered = `coalesce(a.tfr_from_ms + a.tfr_ms, ${closed})`
  return measure === "tfr"
    ? `case when target.tfr_ms is null or a.tfr_from_ms is null then null
        when ${over("a.tfr_from_ms", answered, "target.tfr_ms")} then 1
        when a.tfr_ms is not null then 0 when a.status_group <> 'done' then 2 end`
    : `case when target.ttc_ms is null or a.ttc_from_ms is null then null
        when ${over("a.ttc_from_ms", closed, "target.ttc_ms")} then 1 when a.status_group = 'done' then 0 else 2 end`
}

/** The word of a verdict, for filters. */
export const verdictWord = (measure: "tfr" | "ttc", now: number): string =>
  `(array[${verdicts.map((word) => `'${word}'`).join(", ")}])[1 + ${verdict(measure, now)}]`

/** Columns `tfr_verdict`, `ttc_verdict`. */
export const judgedColumns = (sql: Sql, now: number): Statement.Fragment =>
  sql.literal(`${verdict("tfr", now)} as tfr_verdict, ${verdict("ttc", now)} as ttc_verdict`)

/** A JSON array of the numbers of `verdicts`, of `counted`. */
export const judgedCounts = (measure: "tfr" | "ttc"): string =>
  `json_build_array(${verdicts.map((_, place) => `count(*) filter (where counted.${measure}_verdict = ${place})`).join(", ")})`
