// Load on one address for some seconds: closed (each connection asks again as soon as it was answered) or open (by a timetable).
import { Effect } from "effect"
import * as http from "node:http"
import { setTimeout } from "node:timers/promises"

export interface Asked {
  readonly url: string
  readonly method: "GET" | "POST" | "PUT"
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
export interface Load extends Asked {
  readonly connections: number
  readonly seconds: number
  /**
   * Requests a second of an open load. Each has its time, and its latency counts from there: a server that stalls cannot
   * delay the requests that would have shown it (coordinated omission). Without it the load is closed.
   */
  readonly perSecond?: number
  /** Ends the load earlier, with so many requests. */
  readonly requestsMax?: number
  /** What the n-th request of a connection asks, where they differ. */
  readonly each?: (connection: number, n: number) => Asked
}

/** What came of it. Latencies in milliseconds; `bytes` is the length of the last answer. */
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
    const agent = new http.Agent({ keepAlive: true, maxSockets: plan.connections })
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
    const ask = async (connection: number) => {
      for (let n = 0; ; n++) {
        const asked = nextDue()
        if (asked >= end || signal.aborted || sent >= (plan.requestsMax ?? Infinity)) return
        sent++
        await until(asked)
        const asking = plan.each?.(connection, n) ?? plan
        const answer = await once(asking, agent)
        latencies.push(performance.now() - asked)
        bytes = answer.bytes
        if (answer.status !== 200 && answer.status !== 201) failures++
      }
    }
    await Promise.all(Array.from({ length: plan.connections }, (_, connection) => ask(connection)))
    const seconds = (performance.now() - start) / 1_000
    agent.destroy()
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

const until = async (moment: number): Promise<void> => {
  const millis = moment - performance.now()
  if (millis > 0) await setTimeout(millis)
}

const once = ({ body, headers, method, url }: Asked, agent: http.Agent) =>
  new Promise<{ readonly status: number; readonly bytes: number }>((resolve, reject) => {
    const request = http.request(url, { agent, method, headers }, (response) => {
      let bytes = 0
      response.on("data", (chunk: Buffer) => (bytes += chunk.length))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, bytes }))
      response.on("error", reject)
    })
    request.on("error", reject)
    request.end(body)
  })
