// A closed load (each connection sends again as soon as it has its answer) or an open one (by a timetable).
import { Effect, Schema } from "effect"
import { setTimeout } from "node:timers/promises"
import { type HttpRequest, KeptConnection, serialized } from "./KeptConnection.ts"

export interface Load extends HttpRequest {
  readonly connections: number
  readonly seconds: number
  /**
   * Requests per second of an open load. Each has its time, and its latency counts from there: a server that stalls cannot
   * delay the requests that would have shown it (coordinated omission). Without it the load is closed. The connections are
   * open before the first one: Node accepts one connection per turn of its event loop.
   */
  readonly perSecond?: number
  /** Ends the load after this number of requests. */
  readonly requestsMax?: number
  /** The n-th request of a connection, if they differ. */
  readonly each?: (connection: number, n: number) => HttpRequest
}

/** In milliseconds. */
const Latencies = Schema.Struct({
  count: Schema.Int,
  p50: Schema.Finite,
  p95: Schema.Finite,
  p99: Schema.Finite
})
export const latenciesOf = (millis: ReadonlyArray<number>): typeof Latencies.Type => {
  const sorted = millis.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

export const Outcome = Schema.Struct({
  /** Of an open load until its last request is due, of a closed one until the last answer. */
  seconds: Schema.Finite,
  /** Answers per second. */
  perSecond: Schema.Finite,
  /** Length of the last answer. */
  bytes: Schema.Int,
  /** Number of answers by status, or by the message of a connection error. */
  statuses: Schema.Record(Schema.String, Schema.Int),
  /** Answers other than 200 and 201. */
  failures: Schema.Int,
  /** Of the answers 200 and 201. */
  answered: Latencies,
  /** Of the answers 429. */
  refused: Latencies
})
export type Outcome = typeof Outcome.Type

export const load = (plan: Load): Effect.Effect<Outcome> =>
  Effect.promise(async (signal) => {
    const connections = Array.from({ length: plan.connections }, () => new KeptConnection())
    const millis: Record<string, Array<number>> = {}
    let bytes = 0
    if (plan.perSecond !== undefined) {
      // Only an answer shows that the server has accepted the connection.
      for (const [connection, kept] of connections.entries())
        await kept.send(serialized(plan.each?.(connection, 0) ?? plan))
    }
    const start = performance.now()
    const end = start + plan.seconds * 1_000
    let slot = 0
    let sent = 0
    /** When the next request is due. */
    const nextDue = (): number =>
      plan.perSecond === undefined ? performance.now() : start + (slot++ * 1_000) / plan.perSecond
    const run = async (kept: KeptConnection, connection: number) => {
      for (let n = 0; ; n++) {
        const due = nextDue()
        if (due >= end || performance.now() >= end || signal.aborted) return
        if (sent >= (plan.requestsMax ?? Infinity)) return
        sent++
        await waitUntil(due)
        const status = await kept.send(serialized(plan.each?.(connection, n) ?? plan)).then(
          (answer) => {
            bytes = answer.body.length
            return String(answer.status)
          },
          (error: unknown) => String(error)
        )
        ;(millis[status] ??= []).push(performance.now() - due)
      }
    }
    await Promise.all(connections.map(run))
    const seconds = plan.perSecond === undefined ? (performance.now() - start) / 1_000 : plan.seconds
    for (const connection of connections) connection.end()
    const answered = latenciesOf([...(millis["200"] ?? []), ...(millis["201"] ?? [])])
    const answers = Object.values(millis).reduce((sum, { length }) => sum + length, 0)
    return {
      seconds,
      perSecond: answers / seconds,
      bytes,
      statuses: Object.fromEntries(Object.entries(millis).map(([status, { length }]) => [status, length])),
      failures: answers - answered.count,
      answered,
      refused: latenciesOf(millis["429"] ?? [])
    }
  })

const waitUntil = async (time: number): Promise<void> => {
  const millis = time - performance.now()
  if (millis > 0) await setTimeout(millis)
}
