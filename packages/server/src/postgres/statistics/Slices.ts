// How many dialogues are counted side by side: a sample tells where to cut them into slices of about one size, each of which
// PostgreSQL gives to a process of its own, and between which values the percentiles of the totals lie (docs/statistics.md).
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { KeyMember, ReportRequest } from "@rapport/core/statistics/ReportRequest.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { rowsOf } from "../sql/Query.ts"
import { type Bounds, boundsAround } from "./Durations.ts"

type Sql = SqlClient.SqlClient

/** Below this many dialogues sorting them all is as fast. */
const SAMPLED_MIN = 100_000
/** Rows of the table that a sample has. */
const SAMPLE_ROWS = 20_000
/** Values of the range that it has to hold. */
const SAMPLE_VALUES_MIN = 2_000
/**
 * Shares of the values on both sides of each percentile: the sorted values of the sample there bound what is sorted. Eight
 * standard deviations of a sample of 10,000; its pages lie together in time, so that fewer would often miss.
 */
const margins = [0.46, 0.54, 0.88, 0.92] as const
/** Where slices are cut: in two, for each reads the table. */
const cuts = [0.5] as const
/** Fewer buckets than these are no good to cut by. */
const BUCKETS_CUT_MIN = 6

export interface Sampled {
  readonly bounds: Bounds
  /** Conditions on `counted`, of which each dialogue fulfils one; those of one row of the report the same. */
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
  /** What the sample is asked for. */
  readonly values: string
  readonly column: string
  readonly type: string
  /** Those without it are in the last slice. */
  readonly optional: boolean
}
const members: Readonly<Record<KeyMember, Cut>> = {
  operatorId: {
    values: "counted.operator_id",
    column: "counted.operator_id",
    type: "text::int8",
    optional: true
  },
  subjectId: {
    values: "counted.subject_id",
    column: "counted.subject_id",
    type: "text::int8",
    optional: true
  },
  channel: {
    values: `counted.channel collate "C"`,
    column: `counted.channel collate "C"`,
    type: "text",
    optional: true
  },
  priority: { values: "counted.priority", column: "counted.priority", type: "text", optional: true }
}
const time: Cut = {
  values: "counted.created_ms",
  column: "counted.created_at",
  type: "timestamptz",
  optional: false
}

/** What the slices of a report are cut by: by time where its rows are of times, else by the member that has most values. */
const cutBy = ({ buckets, members: of }: ReportRequest): Cut => {
  if (of.length === 0 || (buckets?.length ?? 0) >= BUCKETS_CUT_MIN) return time
  const [member = "operatorId"] = (["operatorId", "subjectId", "channel", "priority"] as const).filter(
    (name) => of.includes(name)
  )
  return members[member]
}

/** Undefined where there is little to count, or little is known. */
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

/** From one cut up to the next; no row of the report is in two of them. */
const slicesOf = (
  sql: Sql,
  request: ReportRequest,
  values: ReadonlyArray<string | null>
): ReadonlyArray<Statement.Fragment> => {
  // PostgreSQL sums up by several processes as it is.
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

/** Where the bucket of a moment begins, so that it is not cut. */
const bucketStart = ({ buckets, range }: ReportRequest, moment: number): number =>
  buckets === null ? moment : (buckets.findLast((start) => start <= moment) ?? range.from)

/**
 * For the transaction: no slice is read by several processes. Else the planner finds that best for one of them, and then reads
 * them one after the other, because processes cannot start others.
 */
export const sideBySide = (sql: Sql): Effect.Effect<unknown, SqlError.SqlError> =>
  sql`select set_config('min_parallel_table_scan_size', '1TB', true), set_config('min_parallel_index_scan_size', '1TB', true)`
