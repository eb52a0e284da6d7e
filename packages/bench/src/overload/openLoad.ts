// Sends a load from a process of its own: by a timetable, or closed. The plan is the first argument; prints a LoadResult.
import { Schema } from "effect"
import { setImmediate, setTimeout } from "node:timers/promises"
import { KeptConnection, serialized } from "../KeptConnection.ts"
import { LoadPlan, type LoadResult } from "./LoadPlan.ts"

const plan = Schema.decodeUnknownSync(Schema.fromJsonString(LoadPlan))(process.argv[2])
const requests = plan.requests.map(({ body = "", method, path, token }) =>
  serialized({
    url: `${plan.origin}${path}`,
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === "" ? {} : { "content-type": "application/json" })
    },
    body
  })
)
/** The most recently used connection is taken first. */
const idle: Array<KeptConnection> = []
const opened: Array<KeptConnection> = []
const served: Array<number> = []
const refused: Array<number> = []
const statuses: Record<string, number> = {}
/** Overdue requests that are sent without reading answers in between. */
const BURST_MAX = 8
let unsent = 0
let inFlight = 0

const open = (): KeptConnection => {
  const connection = new KeptConnection()
  opened.push(connection)
  return connection
}

const sendNth = async (n: number) => {
  const request = requests[n % requests.length]
  if (request === undefined) return
  const connection = idle.pop() ?? open()
  const sentAt = performance.now()
  inFlight++
  const status = await connection.send(request).then(
    (answer) => String(answer.status),
    (error: unknown) => String(error)
  )
  const millis = performance.now() - sentAt
  statuses[status] = (statuses[status] ?? 0) + 1
  if (status === "200") served.push(millis)
  if (status === "429") refused.push(millis)
  inFlight--
  idle.push(connection)
}

const latencies = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { count: sorted.length, p50: at(0.5), p95: at(0.95) }
}

const start = performance.now()
const millis = plan.seconds * 1_000
const elapsed = () => performance.now() - start
const running: Array<Promise<void>> = []
if (plan.perSecond === 0) {
  const loop = async (connection: number) => {
    for (let n = connection; elapsed() < millis; n++) await sendNth(n)
  }
  await Promise.all(Array.from({ length: plan.connections }, (_, connection) => loop(connection)))
} else {
  const total = plan.perSecond * plan.seconds
  for (let n = 0; n < total && elapsed() < millis;) {
    const due = (elapsed() * plan.perSecond) / 1_000
    for (const last = Math.min(due, n + BURST_MAX - 1, total - 1); n <= last; n++)
      if (inFlight >= plan.connections) unsent++
      else running.push(sendNth(n))
    // A sender that is late must still read answers, or they would seem late too.
    if (n <= due) await setImmediate()
    else await setTimeout(Math.max(1, Math.min((n - due) * (1_000 / plan.perSecond), millis - elapsed())))
  }
}
const seconds = elapsed() / 1_000
const servedInTime = served.length
await Promise.all(running)
for (const connection of opened) connection.end()
const result: LoadResult = {
  sentPerSecond: (plan.perSecond === 0 ? servedInTime : running.length) / seconds,
  servedPerSecond: (plan.perSecond === 0 ? servedInTime : served.length) / seconds,
  unsent,
  statuses,
  served: latencies(served),
  refused: latencies(refused)
}
process.stdout.write(`${JSON.stringify(result)}\n`)
