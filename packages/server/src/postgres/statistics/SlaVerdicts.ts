// SQL that compares a dialogue with the target of its subject, in working milliseconds of the calendar (contract §9.3).
import { verdicts } from "@rapport/contract/statistics/Dialogue.ts"
import type { TargetRules } from "@rapport/core/statistics/StatisticsStore.ts"
import type { WorkedSpan } from "@rapport/core/statistics/WorkingTime.ts"
import { type Fragment, sql } from "../sql/Fragment.ts"

/** Replaces null, because the driver does not know the type of an array of nulls. */
const ABSENT = ""
const texts = (values: ReadonlyArray<number | null>): ReadonlyArray<string> =>
  values.map((value) => (value === null ? ABSENT : String(value)))

/** The tables `target`, with a row per priority of a subject, and `hours`, with a row of parallel arrays per calendar with working time. */
export const slaTables = ({ calendars, targets }: TargetRules): Fragment => {
  const working = calendars.filter(({ worked }) => worked.length > 0)
  const arrays = (member: keyof WorkedSpan) =>
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

/** Working milliseconds of `hours` up to a time. 0 for a calendar without working time. */
const workedUntil = (time: string): string => {
  const place = `width_bucket(${time}, hours.starts)`
  return `coalesce(case ${place} when 0 then 0 else hours.befores[${place}]
    + least(${time} - hours.starts[${place}], hours.millis[${place}]) end, 0)`
}
/** Compares elapsed time first: it is at least the working time, so most dialogues need no calendar. */
const over = (
  start: string,
  end: string,
  target: string
): string => `case when ${end} - ${start} <= ${target} then false
  when target.calendar_id is null then true
  else ${workedUntil(end)} - ${workedUntil(start)} > ${target} end`

/** Joins the target of the subject and the hours of the calendar to `dialogues a`. */
export const slaJoins = `left join target on target.subject_id = a.subject_id and target.priority = a.priority
  left join hours on hours.calendar_id = target.calendar_id`

/**
 * Compares the response or the close with its target, as an index in `verdicts`. Null without a target, for a dialogue that was closed in
 * time without an answer, and if nobody waits.
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

export const verdictWord = (measure: "tfr" | "ttc", now: number): string =>
  `(array[${verdicts.map((word) => `'${word}'`).join(", ")}])[1 + ${verdict(measure, now)}]`

export const verdictColumns = (now: number): string =>
  `${verdict("tfr", now)} as tfr_verdict, ${verdict("ttc", now)} as ttc_verdict`

/** The JSON of the number of each verdict in `counted`, and the share of met targets. */
export const verdictCounts = (measure: "tfr" | "ttc"): string => {
  const column = `counted.${measure}_verdict`
  const counts = verdicts.map((word, place) => `'${word}', count(*) filter (where ${column} = ${place})`)
  return `json_build_object(${counts.join(", ")},
    'metRate', round(avg((${column} = 0)::int) filter (where ${column} < 2), 6))`
}
