import { assert, describe, it } from "@effect/vitest"
import { summedMetrics } from "./SummedMetrics.ts"

const textOf = (
  requests: number,
  inFlight: number,
  lag: number,
  shared: number
) => `# HELP rapport_http_duration_seconds times
# TYPE rapport_http_duration_seconds histogram
rapport_http_duration_seconds_bucket{route="/a b",le="0.1"} ${requests}
rapport_http_duration_seconds_count{route="/a b"} ${requests}
# TYPE rapport_http_in_flight gauge
rapport_http_in_flight ${inFlight}
# TYPE rapport_index_lag gauge
rapport_index_lag{kind="evidence"} ${lag}
# TYPE rapport_limiter_shared gauge
rapport_limiter_shared ${shared}
`

describe("metrics of several processes", () => {
  it("are added, but for gauges of which the worst counts", () => {
    assert.strictEqual(summedMetrics([textOf(3, 1, 500, 1), textOf(4, 2, 20, 0)]), textOf(7, 3, 500, 0))
  })

  it("keep what only one of them has", () => {
    const other = '# TYPE rapport_delivery_attempts counter\nrapport_delivery_attempts{kind="web"} 2\n'
    assert.strictEqual(summedMetrics([textOf(1, 1, 1, 1), other]), textOf(1, 1, 1, 1) + other)
  })

  it("of one process are left as they are", () => {
    assert.strictEqual(summedMetrics(["as it is"]), "as it is")
  })
})
