// SQL of mean and percentiles of a duration.
import { Schema } from "effect"

/** Mean, median and ninth decile, in seconds. */
export const Duration = Schema.Tuple([
  Schema.NullOr(Schema.Finite),
  Schema.NullOr(Schema.Finite),
  Schema.NullOr(Schema.Finite)
])

const seconds = (millis: string): string => `round((${millis} / 1000)::numeric, 6)::float8`

/** The duration of a group of `counted`. Sums of whole milliseconds are exact in a double. */
export const durationOf = (measure: "tfr" | "ttc"): string => {
  const column = `counted.${measure}_ms`
  const percentiles = `(percentile_cont(array[0.5, 0.9]) within group (order by ${column}))`
  const values = [`sum(${column}) / nullif(count(${column}), 0)`, `${percentiles}[1]`, `${percentiles}[2]`]
  return `json_build_array(${values.map(seconds).join(", ")})`
}
