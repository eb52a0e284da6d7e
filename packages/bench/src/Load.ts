// A closed load (each connection sends again as soon as it has its answer) or an open one (by a timetable).
import Undici from "@effect/platform-node/Undici"
import { Effect } from "effect"
import { setTimeout } from "node:timers/promises"
import { percentile } from "./eval/Metrics.ts"
import type { HttpRequest } from "./Requests.ts"

export interface Load {
  /** The n-th request of a connection. */
  readonly request: (connection: number, n: number) => HttpRequest
  readonly connections: number
  readonly seconds: number
  /**
   * Requests per second of an open load; undefined for a closed one. Latency counts from the time at which a request is due: a
   * server that stalls cannot delay the requests that would show the stall (coordinated omission). All connections are open
   * before the timing begins, because Node accepts one connection per turn of its event loop.
   */
  readonly perSecond?: number | undefined
  /** Ends the load after this number of requests. */
  readonly requestsMax?: number
}

/** In milliseconds. */
const latenciesOf = (millis: ReadonlyArray<number>) => {
  const [p50 = 0, p95 = 0, p99 = 0] = [0.5, 0.95, 0.99].map((share) => percentile(share, millis))
  return { count: millis.length, p50, p95, p99 }
}

/** Sends a request and returns the status when the whole answer is here. */
const send = async ({ url, ...request }: HttpRequest, dispatcher: Undici.Dispatcher): Promise<number> => {
  const { body, statusCode } = await Undici.request(url, { ...request, dispatcher })
  // Reads the answer without joining its parts: the generator shares the machine with the service.
  await body.dump({ limit: Infinity })
  return statusCode
}

export const load = (plan: Load) =>
  Effect.promise(async (signal) => {
    const connections = Array.from({ length: plan.connections }, () => new Undici.Agent({ connections: 1 }))
    /** Milliseconds of the answers by status, or by the message of a connection error. */
    const millis: Record<string, Array<number>> = {}
    if (plan.perSecond !== undefined) {
      // Only an answer shows that the server has accepted the connection.
      for (const [connection, agent] of connections.entries()) await send(plan.request(connection, 0), agent)
    }
    const start = performance.now()
    const end = start + plan.seconds * 1_000
    let slot = 0
    let sent = 0
    /** When the next request is due. */
    const nextDue = (): number =>
      plan.perSecond === undefined ? performance.now() : start + (slot++ * 1_000) / plan.perSecond
    const run = async (agent: Undici.Agent, connection: number) => {
      for (let n = 0; ; n++) {
        const due = nextDue()
        if (due >= end || performance.now() >= end || signal.aborted) return
        if (sent >= (plan.requestsMax ?? Infinity)) return
        sent++
        const early = due - performance.now()
        if (early > 0) await setTimeout(early)
        const status = await send(plan.request(connection, n), agent).catch(String)
        ;(millis[status] ??= []).push(performance.now() - due)
      }
    }
    await Promise.all(connections.map(run))
    // Of an open load until its last request is due, of a closed one until the last answer.
    const seconds = plan.perSecond === undefined ? (performance.now() - start) / 1_000 : plan.seconds
    await Promise.all(connections.map((agent) => agent.destroy()))
    const answered = latenciesOf([...(millis["200"] ?? []), ...(millis["201"] ?? [])])
    const answers = Object.values(millis).reduce((sum, { length }) => sum + length, 0)
    return {
      seconds,
      /** Answers per second. */
      perSecond: answers / seconds,
      /** Number of answers by status. */
      statuses: Object.fromEntries(Object.entries(millis).map(([status, { length }]) => [status, length])),
      /** Answers other than 200 and 201. */
      failures: answers - answered.count,
      /** Of the answers 200 and 201. */
      answered,
      /** Of the answers 429. */
      refused: latenciesOf(millis["429"] ?? [])
    }
  })
export type Outcome = Effect.Success<ReturnType<typeof load>>
