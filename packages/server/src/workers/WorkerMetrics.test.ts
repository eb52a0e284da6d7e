// What the parent of workers shows to Prometheus.
import { assert, describe, it } from "@effect/vitest"
import { summedMetrics } from "../metrics/SummedMetrics.ts"
import { WorkerMetrics } from "./WorkerMetrics.ts"

const textOf = (denials: number, inFlight: number) => `# HELP rapport_denials_total refused requests
# TYPE rapport_denials_total counter
rapport_denials_total{reason="rate_limited"} ${denials}
# HELP rapport_http_in_flight requests
# TYPE rapport_http_in_flight gauge
rapport_http_in_flight{route="/"} ${inFlight}
# TYPE rapport_http_duration_seconds histogram
rapport_http_duration_seconds_bucket{le="+Inf"} ${denials}
rapport_http_duration_seconds_count ${denials}
`

describe("the metrics of workers", () => {
  it("are those that were last read, and count on when one ends and another comes", () => {
    const metrics = new WorkerMetrics<object>()
    const [first, second, third] = [{}, {}, {}]
    const summed = () => summedMetrics(metrics.texts)
    metrics.read(first, textOf(3, 1))
    metrics.read(second, textOf(4, 2))
    metrics.read(first, textOf(5, 4))
    assert.strictEqual(summed(), textOf(9, 6))
    metrics.ended(first)
    assert.strictEqual(summed(), textOf(9, 2))
    metrics.ended(first)
    metrics.read(third, textOf(10, 1))
    assert.strictEqual(summed(), textOf(19, 3))
    metrics.ended(third)
    assert.strictEqual(summed(), textOf(19, 2))
    assert.lengthOf(metrics.texts, 2)
  })

  it("are none of a worker that ended before it was read", () => {
    const metrics = new WorkerMetrics<object>()
    metrics.ended({})
    assert.deepStrictEqual(metrics.texts, [])
  })
})
