// A closed load (each connection sends again as soon as it has its answer) or an open one (by a timetable).
import { Effect } from "effect"
import { setTimeout } from "node:timers/promises"
import { type HttpRequest, KeptConnection, serialized } from "./KeptConnection.ts"

export interface Load extends HttpRequest {
  readonly connections: number
  readonly seconds: number
  /**
   * Requests a second of an open load. Each has its time, and its latency counts from there: a server that stalls cannot
   * delay the requests that would have shown it (coordinated omission). Without it the load is closed.
   */
  readonly perSecond?: number
  /** Ends the load earlier, with so many requests. */
  readonly requestsMax?: number
  /** The n-th request of a connection, if they differ. */
  readonly each?: (connection: number, n: number) => HttpRequest
}

/** Latencies in milliseconds; `bytes` is the length of the last answer. */
export interface Outcome {
  readonly perSecond: number
  readonly p50Millis: number
  readonly p95Millis: number
  readonly p99Millis: number
  /** How long it took. */
  readonly seconds: number
  readonly bytes: number
  /** Answers other than 200 and 201. */
  readonly failures: number
}

export const load = (plan: Load): Effect.Effect<Outcome> =>
  Effect.promise(async (signal) => {
    const connections = Array.from({ length: plan.connections }, () => new KeptConnection())
    const latencies: Array<number> = []
    let bytes = 0
    let failures = 0
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
        if (due >= end || signal.aborted || sent >= (plan.requestsMax ?? Infinity)) return
        sent++
        await waitUntil(due)
        const answer = await kept.send(serialized(plan.each?.(connection, n) ?? plan))
        latencies.push(performance.now() - due)
        bytes = answer.body.length
        if (answer.status !== 200 && answer.status !== 201) failures++
      }
    }
    await Promise.all(connections.map(run))
    const seconds = (performance.now() - start) / 1_000
    for (const connection of connections) connection.end()
    latencies.sort((a, b) => a - b)
    const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
    return {
      perSecond: latencies.length / seconds,
      seconds,
      p50Millis: at(0.5),
      p95Millis: at(0.95),
      p99Millis: at(0.99),
      bytes,
      failures
    }
  })

const waitUntil = async (time: number): Promise<void> => {
  const millis = time - performance.now()
  if (millis > 0) await setTimeout(millis)
}
