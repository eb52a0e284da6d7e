// An open load in a process of its own: requests by a timetable, whatever the service answers. The plan comes as the first
// argument, what came of it is printed as one line of JSON.
import * as http from "node:http"
import { Schema } from "effect"
import { setImmediate, setTimeout } from "node:timers/promises"
import { Plan, type Sent } from "./Plan.ts"

const plan = Schema.decodeUnknownSync(Schema.fromJsonString(Plan))(process.argv[2])
/** Requests in flight beyond this are not sent, and counted: no service is to be blamed for them. */
const agent = new http.Agent({ keepAlive: true, maxSockets: plan.connections })
const answered: { readonly good: Array<number>; readonly refused: Array<number> } = { good: [], refused: [] }
const statuses: Record<string, number> = {}
let unsent = 0
let inFlight = 0

const note = (status: string, millis: number) => {
  statuses[status] = (statuses[status] ?? 0) + 1
  if (status === "200") answered.good.push(millis)
  if (status === "429") answered.refused.push(millis)
}

const ask = (n: number) =>
  new Promise<void>((resolve) => {
    const { body, method, path, token } = plan.requests[n % plan.requests.length] ?? plan.requests[0]
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const sentAt = performance.now()
    const done = (status: string) => {
      note(status, performance.now() - sentAt)
      inFlight--
      resolve()
    }
    inFlight++
    const request = http.request(`${plan.origin}${path}`, { agent, method, headers }, (response) => {
      response.resume()
      response.once("end", () => done(String(response.statusCode)))
      response.once("error", () => done("cut"))
    })
    request.once("error", ({ message }) => done(message))
    request.end(body)
  })

const quantiles = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

const start = performance.now()
const cpuBefore = process.cpuUsage()
const running: Array<Promise<void>> = []
if (plan.perSecond === 0) {
  const loop = async (connection: number) => {
    for (let n = connection; performance.now() - start < plan.seconds * 1_000; n += plan.connections)
      await ask(n)
  }
  await Promise.all(Array.from({ length: plan.connections }, (_, connection) => loop(connection)))
} else {
  for (let n = 0; n < plan.perSecond * plan.seconds; n++) {
    const wait = start + (n * 1_000) / plan.perSecond - performance.now()
    // Behind its timetable, too, it reads the answers that are there: else they would seem late.
    await (wait > 1 ? setTimeout(wait) : setImmediate())
    if (inFlight >= plan.connections) unsent++
    else running.push(ask(n))
  }
}
// What is answered later than this is no throughput of this load.
const seconds = (performance.now() - start) / 1_000
const goodInTime = answered.good.length
const cpu = process.cpuUsage(cpuBefore)
await Promise.all(running)
agent.destroy()
const sent: Sent = {
  seconds,
  processors: (cpu.user + cpu.system) / 1_000_000 / seconds,
  sentPerSecond: (plan.perSecond === 0 ? goodInTime : running.length) / seconds,
  goodPerSecond: goodInTime / seconds,
  unsent,
  statuses,
  good: quantiles(answered.good),
  refused: quantiles(answered.refused)
}
process.stdout.write(`${JSON.stringify(sent)}\n`)
