// Mean and percentiles of a duration in SQL: of the rows of a report by sorting, and of many dialogues at once by sorting only
// what may hold a percentile (docs/statistics.md).
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { rowsOf } from "../sql/Query.ts"

type Sql = SqlClient.SqlClient
type Measure = "tfr" | "ttc"

const measures = ["tfr", "ttc"] as const
const percentiles = [0.5, 0.9] as const

/** Mean, median, ninth decile; seconds. */
export const Duration = Schema.Tuple([
  Schema.NullOr(Schema.Finite),
  Schema.NullOr(Schema.Finite),
  Schema.NullOr(Schema.Finite)
])

const seconds = (millis: string): string => `round((${millis} / 1000)::numeric, 6)::float8`
/** Whole milliseconds add up exactly in a double. */
const mean = (column: string): string => `sum(${column}) / nullif(count(${column}), 0)`

/** Of a group of `counted`, by sorting it. */
export const sortedDuration = (measure: Measure): string => {
  const column = `counted.${measure}_ms`
  const found = `(percentile_cont(array[${percentiles.join(", ")}]) within group (order by ${column}))`
  return `json_build_array(${seconds(mean(column))}, ${seconds(`${found}[1]`)}, ${seconds(`${found}[2]`)})`
}

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

/** For each measure, four ascending bounds in milliseconds: the median lies between two of them, the ninth decile also. */
export type Bounds = Readonly<Record<Measure, ReadonlyArray<number>>>

const samples = rowsOf(
  Schema.Struct({
    tfrCount: Schema.Int,
    ttcCount: Schema.Int,
    tfr: Schema.NullOr(Schema.Array(Schema.Finite)),
    ttc: Schema.NullOr(Schema.Array(Schema.Finite))
  })
)

const atMargins = (measure: Measure): string =>
  `to_json(percentile_disc(array[${margins.join(", ")}]) within group (order by counted.${measure}_ms)) as ${measure}`

/** Between which values the percentiles of the totals are; undefined where there is little to sort, or little is known. */
export const sampledBounds = (
  sql: Sql,
  dialogues: number,
  counted: (of: Statement.Fragment) => Statement.Fragment
): Effect.Effect<Bounds | undefined, SqlError.SqlError> => {
  if (dialogues < SAMPLED_MIN) return Effect.undefined
  const percent = ((100 * SAMPLE_ROWS) / dialogues).toFixed(6)
  return Effect.map(
    samples.get(
      sql`${counted(sql.literal(`tablesample system (${percent})`))}
        select count(counted.tfr_ms)::int4 as "tfrCount", count(counted.ttc_ms)::int4 as "ttcCount",
          ${sql.literal(`${atMargins("tfr")}, ${atMargins("ttc")}`)} from counted`.unprepared
    ),
    ({ tfr, tfrCount, ttc, ttcCount }) =>
      tfr === null || ttc === null || Math.min(tfrCount, ttcCount) < SAMPLE_VALUES_MIN
        ? undefined
        : { tfr: boundsAround(tfr), ttc: boundsAround(ttc) }
  )
}

/** Bounds from the values at `margins`: those equal to an upper one lie within, and a millisecond is the least difference. */
export const boundsAround = (found: ReadonlyArray<number>): ReadonlyArray<number> => {
  const [low = 0, high = 0, lowNinth = 0, highNinth = 0] = found
  const above = high + 1
  return [low, above, Math.max(above, lowNinth), Math.max(above, highNinth + 1)]
}

/** `counted` with the place of each value among the bounds: 0 below them, 1 and 3 between the two of a percentile. */
export const placedAmong = (sql: Sql, bounds: Bounds): Statement.Fragment =>
  sql`(select counted.*, ${sql.csv(
    measures.map(
      (measure) =>
        sql`width_bucket(${sql.literal(`counted.${measure}_ms`)},
          ${bounds[measure].map(String)}::text[]::float8[]) as ${sql.literal(`${measure}_place`)}`
    )
  )} from counted offset 0)`

const between = [1, 3] as const

/** Aggregates of `placedAmong`, named for `boundedDuration`. */
export const boundedColumns = measures
  .flatMap((measure) => [
    `count(counted.${measure}_ms) as ${measure}_count`,
    `${mean(`counted.${measure}_ms`)} as ${measure}_mean`,
    ...between.flatMap((place) => [
      `count(*) filter (where counted.${measure}_place < ${place}) as ${measure}_below_${place}`,
      `array_agg(counted.${measure}_ms) filter (where counted.${measure}_place = ${place}) as ${measure}_values_${place}`
    ])
  ])
  .join(", ")

/** Of `bounded`, a row of `boundedColumns`; a percentile that lies outside its bounds is -1: the row is of no use then. */
export const boundedDuration = (measure: Measure): string => {
  const found = percentiles.map((fraction, i) => {
    const place = `(${fraction}::float8 * (bounded.${measure}_count - 1))`
    const below = `bounded.${measure}_below_${between[i]}`
    const sorted = `(select array_agg(value order by value) from unnest(bounded.${measure}_values_${between[i]}) value)`
    // The two values around the place, and the part of the way between them: what percentile_cont computes.
    return `(select coalesce(sorting.sorted[sorting.low] + (${place} - floor(${place})) * (sorting.sorted[sorting.high] - sorting.sorted[sorting.low]), -1)
      from (select ${sorted} as sorted, (floor(${place}) - ${below})::int8 + 1 as low,
        (ceil(${place}) - ${below})::int8 + 1 as high offset 0) sorting)`
  })
  return `json_build_array(${[`bounded.${measure}_mean`, ...found].map(seconds).join(", ")})`
}

/** Whether every percentile of a bounded duration was found. */
export const isFound = (duration: typeof Duration.Type): boolean =>
  duration.every((value) => value === null || value >= 0)
