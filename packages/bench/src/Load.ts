// Load on one address: some connections that each ask again as soon as they were answered, for some seconds.
import { Effect } from "effect"
import * as http from "node:http"

export interface Asked {
  readonly url: string
  readonly method: "GET" | "POST" | "PUT"
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
export interface Load extends Asked {
  readonly connections: number
  readonly seconds: number
  /** What the n-th request of a connection asks, where they differ. */
  readonly each?: (connection: number, n: number) => Asked
}

/** What came of it. Latencies in milliseconds; `bytes` is the length of the last answer. */
export interface Outcome {
  readonly perSecond: number
  readonly p50Millis: number
  readonly p95Millis: number
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
    const ask = async (connection: number) => {
      for (let n = 0; performance.now() < end && !signal.aborted; n++) {
        const asking = plan.each?.(connection, n) ?? plan
        const asked = performance.now()
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
    return { perSecond: latencies.length / seconds, p50Millis: at(0.5), p95Millis: at(0.95), bytes, failures }
  })

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
