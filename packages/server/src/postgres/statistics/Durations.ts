// SQL of mean and percentiles of a duration. Rows of a report sort their values; totals of many dialogues sort only the values near a
// percentile (docs/statistics.md).
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

type Sql = SqlClient.SqlClient
type Measure = "tfr" | "ttc"

const measures = ["tfr", "ttc"] as const
const percentiles = [0.5, 0.9] as const

/** Mean, median and ninth decile, in seconds. */
export const Duration = Schema.Tuple([
  Schema.NullOr(Schema.Finite),
  Schema.NullOr(Schema.Finite),
  Schema.NullOr(Schema.Finite)
])

const seconds = (millis: string): string => `round((${millis} / 1000)::numeric, 6)::float8`
const jsonSeconds = (...millis: ReadonlyArray<string>): string =>
  `json_build_array(${millis.map(seconds).join(", ")})`
const found = (measure: Measure): string =>
  `percentile_cont(array[${percentiles.join(", ")}]) within group (order by counted.${measure}_ms)`

/** The duration of a group of `counted`, by sorting. Sums of whole milliseconds are exact in a double. */
export const sortedDuration = (measure: Measure): string => {
  const column = `counted.${measure}_ms`
  const percentile = `(${found(measure)})`
  return jsonSeconds(`sum(${column}) / nullif(count(${column}), 0)`, `${percentile}[1]`, `${percentile}[2]`)
}

/** Four ascending bounds in milliseconds per measure: the first two enclose the median, the others the ninth decile. */
export type Bounds = Readonly<Record<Measure, ReadonlyArray<number>>>

/** Bounds from the values at `margins`. Upper bounds are inclusive, so they are one millisecond higher. */
export const boundsAround = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const [low = 0, high = 0, lowNinth = 0, highNinth = 0] = values
  const above = high + 1
  return [low, above, Math.max(above, lowNinth), Math.max(above, highNinth + 1)]
}

/**
 * Aggregates of a group of `counted`: sums, percentiles for a `row` of the report, and for the totals the number of values below the
 * bounds of each percentile and the values between them.
 */
export const partColumns = (sql: Sql, bounds: Bounds, row: boolean): Statement.Fragment =>
  sql.csv(
    measures.map((measure) => {
      const column = sql.literal(`counted.${measure}_ms`)
      const name = (of: string) => sql.literal(`${measure}_${of}`)
      const bound = (place: number) => sql`${String(bounds[measure][place] ?? 0)}::text::float8`
      const around = (percentile: number, place: number) =>
        sql`count(*) filter (where ${column} < ${bound(place)}) as ${name(`below_${percentile}`)},
          array_agg(${column}) filter (where ${column} >= ${bound(place)} and ${column} < ${bound(place + 1)})
            as ${name(`values_${percentile}`)}`
      return sql`count(${column}) as ${name("count")}, sum(${column}) as ${name("sum")},
        ${sql.literal(row ? found(measure) : "null::float8[]")} as ${name("found")}, ${around(1, 0)}, ${around(2, 2)}`
    })
  )

export const partDuration = (measure: Measure): string =>
  jsonSeconds(
    `part.${measure}_sum / nullif(part.${measure}_count, 0)`,
    ...percentiles.map((_, i) => `part.${measure}_found[${i + 1}]`)
  )

/** Aggregates of `part` for `boundedDuration`. */
export const boundedColumns = measures
  .flatMap((measure) => [
    `sum(part.${measure}_sum) as ${measure}_sum`,
    ...["count", "below_1", "below_2"].map(
      (name) => `sum(part.${measure}_${name})::int8 as ${measure}_${name}`
    )
  ])
  .join(", ")

/** The duration of `bounded`, a row of `boundedColumns`. A percentile outside its bounds is -1, and the row is not usable. */
export const boundedDuration = (measure: Measure): string => {
  const of = (name: string): string => `bounded.${measure}_${name}`
  const placed = percentiles.map((fraction, i) => {
    const place = `(${fraction}::float8 * (${of("count")} - 1))`
    const below = of(`below_${i + 1}`)
    const sorted = `(select array_agg(kept.value order by kept.value)
      from part, unnest(part.${measure}_values_${i + 1}) as kept(value))`
    // Interpolates between the two values around the place, as percentile_cont does.
    return `(select coalesce(around.sorted[around.low]
        + (${place} - floor(${place})) * (around.sorted[around.high] - around.sorted[around.low]), -1)
      from (select ${sorted} as sorted, (floor(${place}) - ${below})::int8 + 1 as low,
        (ceil(${place}) - ${below})::int8 + 1 as high offset 0) around)`
  })
  return jsonSeconds(`${of("sum")} / nullif(${of("count")}, 0)`, ...placed)
}

export const isFound = (duration: typeof Duration.Type): boolean =>
  duration.every((value) => value === null || value >= 0)
