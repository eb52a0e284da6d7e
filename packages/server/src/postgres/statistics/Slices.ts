// Counts many dialogues in parallel. A sample shows how to cut them into slices of similar size, one per process of PostgreSQL, and
// between which values the percentiles of the totals are (docs/statistics.md).
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { KeyMember, ReportRequest } from "@rapport/core/statistics/ReportRequest.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { rowsOf } from "../sql/Query.ts"
import { type Bounds, boundsAround } from "./Durations.ts"
import { columnOf } from "./ReportKeys.ts"

type Sql = SqlClient.SqlClient

/** Sorting fewer dialogues is as fast without slices. */
const SAMPLED_MIN = 100_000
const SAMPLE_ROWS = 20_000
/** A smaller sample of the range is not used. */
const SAMPLE_VALUES_MIN = 2_000
/**
 * Shares around each percentile: the values of the sample there are the bounds. They are eight standard deviations of a sample of
 * 10,000, because rows of a page are close in time.
 */
const margins = [0.46, 0.54, 0.88, 0.92] as const
/** One cut makes two slices. Each slice reads the table. */
const cuts = [0.5] as const
/** Slices are cut by time only with at least so many buckets. */
const BUCKETS_CUT_MIN = 6

export interface Sampled {
  readonly bounds: Bounds
  /** Conditions on `counted`. Each dialogue meets exactly one, and dialogues of one row of the report meet the same. */
  readonly slices: ReadonlyArray<Statement.Fragment>
}

const Durations = Schema.NullOr(Schema.Array(Schema.Finite))
const samples = rowsOf(
  Schema.Struct({
    tfrCount: Schema.Int,
    ttcCount: Schema.Int,
    tfr: Durations,
    ttc: Durations,
    cuts: Schema.NullOr(Schema.Array(Schema.NullOr(Schema.String)))
  })
)

const atShares = (shares: ReadonlyArray<number>, column: string): string =>
  `to_json(percentile_disc(array[${shares.join(", ")}]) within group (order by ${column}))`

interface Cut {
  /** SQL of the sampled values. */
  readonly values: string
  readonly column: string
  readonly type: string
  /** Dialogues without the member are in the last slice. */
  readonly optional: boolean
}
const memberCut = (member: KeyMember): Cut => {
  const column = `counted.${columnOf[member]}`
  const type = member === "channel" || member === "priority" ? "text" : "text::int8"
  return { values: column, column, type, optional: true }
}
const time: Cut = {
  values: "counted.created_ms",
  column: "counted.created_at",
  type: "timestamptz",
  optional: false
}

/** Cuts by time if the rows are times, otherwise by the member with most values. */
const cutBy = ({ buckets, members: of }: ReportRequest): Cut => {
  if (of.length === 0 || (buckets?.length ?? 0) >= BUCKETS_CUT_MIN) return time
  const [member = "operatorId"] = (["operatorId", "subjectId", "channel", "priority"] as const).filter(
    (name) => of.includes(name)
  )
  return memberCut(member)
}

/** Undefined for few dialogues or a small sample. */
export const sampled = (
  sql: Sql,
  request: ReportRequest,
  dialogues: number,
  counted: (of: Statement.Fragment) => Statement.Fragment
): Effect.Effect<Sampled | undefined, SqlError.SqlError> => {
  if (dialogues < SAMPLED_MIN) return Effect.undefined
  const percent = ((100 * SAMPLE_ROWS) / dialogues).toFixed(6)
  return Effect.map(
    samples.get(
      sql`${counted(sql.literal(`tablesample system (${percent})`))}
        select count(counted.tfr_ms)::int4 as "tfrCount", count(counted.ttc_ms)::int4 as "ttcCount",
          ${sql.literal(`${atShares(margins, "counted.tfr_ms")} as tfr, ${atShares(margins, "counted.ttc_ms")} as ttc,
            (percentile_disc(array[${cuts.join(", ")}]) within group (order by ${cutBy(request).values}))::text[] as cuts`)}
        from counted`.unprepared
    ),
    ({ cuts: at, tfr, tfrCount, ttc, ttcCount }) =>
      tfr === null || ttc === null || Math.min(tfrCount, ttcCount) < SAMPLE_VALUES_MIN
        ? undefined
        : {
            bounds: { tfr: boundsAround(tfr), ttc: boundsAround(ttc) },
            slices: slicesOf(sql, request, at ?? [])
          }
  )
}

/** Ranges between the cuts. No row of the report is in two slices. */
const slicesOf = (
  sql: Sql,
  request: ReportRequest,
  values: ReadonlyArray<string | null>
): ReadonlyArray<Statement.Fragment> => {
  // PostgreSQL computes totals in parallel anyway.
  if (request.members.length === 0 && request.buckets === null) return [sql`true`]
  const { column, optional, type } = cutBy(request)
  const name = sql.literal(column)
  const cuts = values.flatMap((value) =>
    value === null ? [] : optional ? [value] : [isoOf(bucketStart(request, Number(value)))]
  )
  const [first, ...rest] = [...new Set(cuts)].map((cut) => sql`${cut}::${sql.literal(type)}`)
  if (first === undefined) return [sql`true`]
  const last = rest.at(-1) ?? first
  return [
    sql`${name} < ${first}`,
    ...rest.map((to, i) => sql`${name} >= ${rest[i - 1] ?? first} and ${name} < ${to}`),
    optional ? sql`(${name} >= ${last} or ${name} is null)` : sql`${name} >= ${last}`
  ]
}

/** The start of the bucket of a time, so that no bucket is cut. */
const bucketStart = ({ buckets, range }: ReportRequest, time: number): number =>
  buckets === null ? time : (buckets.findLast((start) => start <= time) ?? range.from)

/**
 * For the transaction: reads no slice with several processes. Otherwise the planner does that for one slice and reads the slices one by
 * one, because a parallel process cannot start others.
 */
export const sideBySide = (sql: Sql): Effect.Effect<unknown, SqlError.SqlError> =>
  sql`select set_config('min_parallel_table_scan_size', '1TB', true), set_config('min_parallel_index_scan_size', '1TB', true)`
