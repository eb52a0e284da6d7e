// An open load in a process of its own: requests by a timetable, whatever the service answers. The plan comes as the first
// argument, what came of it is printed as one line of JSON. It shares the processors with the service: requests are bytes that
// were made once, on connections that are kept.
import { Schema } from "effect"
import { setImmediate, setTimeout } from "node:timers/promises"
import { KeptConnection, written } from "../KeptConnection.ts"
import { Plan, type Sent } from "./Plan.ts"

const plan = Schema.decodeUnknownSync(Schema.fromJsonString(Plan))(process.argv[2])
const [first, ...others] = plan.requests
const writtenOf = ({ body = "", method, path, token }: typeof first) =>
  written({
    url: `${plan.origin}${path}`,
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === "" ? {} : { "content-type": "application/json" })
    },
    body
  })
const requests = [writtenOf(first), ...others.map(writtenOf)] as const
/** The one that was used last is taken first; as many are opened as are needed at once. */
const idle: Array<KeptConnection> = []
const opened: Array<KeptConnection> = []
const answered: { readonly good: Array<number>; readonly refused: Array<number> } = { good: [], refused: [] }
const statuses: Record<string, number> = {}
const goodOf = plan.requests.map(() => 0)
/** Sent at once at most: what comes late is made up for by and by, as many callers do not ask in the same moment. */
const BURST_MAX = 8
let unsent = 0
let inFlight = 0

const note = (status: string, millis: number) => {
  statuses[status] = (statuses[status] ?? 0) + 1
  if (status === "200") answered.good.push(millis)
  if (status === "429") answered.refused.push(millis)
}

const open = (): KeptConnection => {
  const connection = new KeptConnection()
  opened.push(connection)
  return connection
}

const ask = async (n: number) => {
  const connection = idle.pop() ?? open()
  const kind = n % requests.length
  const sentAt = performance.now()
  inFlight++
  const status = await connection.send(requests[kind] ?? requests[0]).then(
    (answer) => String(answer.status),
    (error: unknown) => String(error)
  )
  note(status, performance.now() - sentAt)
  if (status === "200") goodOf[kind] = (goodOf[kind] ?? 0) + 1
  inFlight--
  idle.push(connection)
}

const quantiles = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

const start = performance.now()
const cpuBefore = process.cpuUsage()
const millis = plan.seconds * 1_000
const running: Array<Promise<void>> = []
if (plan.perSecond === 0) {
  const loop = async (connection: number) => {
    for (let n = connection; performance.now() - start < millis; n++) await ask(n)
  }
  await Promise.all(Array.from({ length: plan.connections }, (_, connection) => loop(connection)))
} else {
  for (let n = 0; n < plan.perSecond * plan.seconds && performance.now() - start < millis;) {
    const due = ((performance.now() - start) * plan.perSecond) / 1_000
    const last = Math.min(due, n + BURST_MAX - 1, plan.perSecond * plan.seconds - 1)
    for (; n <= last; n++)
      if (inFlight >= plan.connections) unsent++
      else running.push(ask(n))
    // Behind its timetable, too, it reads the answers that are there: else they would seem late.
    if (n <= due) await setImmediate()
    else
      await setTimeout(
        Math.max(1, Math.min((n - due) * (1_000 / plan.perSecond), start + millis - performance.now()))
      )
  }
}
// What is answered later than this is no throughput of this load.
const seconds = (performance.now() - start) / 1_000
const goodInTime = answered.good.length
const cpu = process.cpuUsage(cpuBefore)
await Promise.all(running)
for (const connection of opened) connection.end()
const sent: Sent = {
  seconds,
  processors: (cpu.user + cpu.system) / 1_000_000 / seconds,
  sentPerSecond: (plan.perSecond === 0 ? goodInTime : running.length) / seconds,
  goodPerSecond: goodInTime / seconds,
  unsent,
  statuses,
  goodOf,
  good: quantiles(answered.good),
  refused: quantiles(answered.refused)
}
process.stdout.write(`${JSON.stringify(sent)}\n`)
