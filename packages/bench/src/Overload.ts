// `pnpm bench overload`: one tenant sends three times what the service can serve while another tenant sends a little.
// Both loads come from processes of their own; figures are medians of the rounds.
import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { spawn } from "node:child_process"
import { count, text } from "./Flags.ts"
import { type LoadPlan, LoadResult } from "./overload/LoadPlan.ts"
import { residentMiB } from "./ProcessCpu.ts"
import { login } from "./Requests.ts"
import { NotStarted, program, served, temporaryFolder, unlimited } from "./Started.ts"

const SATURATION = 3
const WARM_SECONDS = 10
const CONNECTIONS = 16
const CONNECTIONS_MAX = 500
const OTHER_TENANT_PER_SECOND = 20
/** Refusals are timed by a slow sender of the same tenant: in a flood they would wait in the sender. */
const OBSERVER_PER_SECOND = 20

const seconds = count("seconds", 8, "Length of one load")
const rounds = count("rounds", 3, "Rounds: capacity, other tenant alone, flood with other tenant")
const database = text("database", "URL of an empty database; without it, the embedded one is used")

const LIST = "/kw/api/v1/OpChatRooms/list?limit=20&include=client,lastMessage&order[lastMessageAt]=desc"
const requestsOf = (token: string, clientId: number): LoadPlan["requests"] => [
  {
    method: "POST",
    path: "/kw/chatrooms/context/retrieve",
    token,
    body: JSON.stringify({ scope: { entity: "client", id: clientId }, actions: {} })
  },
  { method: "GET", path: LIST, token }
]

const decodeResult = Schema.decodeUnknownEffect(Schema.fromJsonString(LoadResult))

/** Runs a load in another process and returns what it measured. */
const send = (plan: LoadPlan) =>
  Effect.callback<string, NotStarted>((resume) => {
    const file = program("packages/bench/src/overload/openLoad.ts")
    const child = spawn(process.execPath, [file, JSON.stringify(plan)], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let printed = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk))
    child.once("close", (code) =>
      resume(
        code === 0
          ? Effect.succeed(printed)
          : Effect.fail(new NotStarted({ message: `the load ended with ${String(code)}` }))
      )
    )
    return Effect.sync(() => child.kill())
  }).pipe(Effect.flatMap(decodeResult))

/** The highest resident memory of a process, in MiB, while the effect runs. */
const withPeakMemory = <A, E, R>(pid: number, effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let peakMiB = residentMiB(pid)
    const timer = setInterval(() => (peakMiB = Math.max(peakMiB, residentMiB(pid))), 100)
    return effect.pipe(
      Effect.ensuring(Effect.sync(() => clearInterval(timer))),
      Effect.map((result) => ({ result, peakMiB }))
    )
  })

const started = Effect.fnUntraced(function* (database: string) {
  yield* Console.error("starting the service on the small demo …")
  return yield* served({
    // Rates per minute are lifted; concurrency limits keep their defaults.
    ...Object.fromEntries(Object.entries(unlimited).filter(([name]) => name.endsWith("_PER_MINUTE"))),
    PORT: "0",
    LOG_LEVEL: "error",
    RAPPORT_DATA_DIR: yield* temporaryFolder,
    RAPPORT_SEED: "small",
    ...(database === "" ? {} : { DATABASE_URL: database })
  })
})

const measureRound = Effect.fnUntraced(function* (service: Service, seconds: number) {
  const { flooding, origin, other, pid } = service
  const base = { origin, seconds, connections: CONNECTIONS_MAX }
  const capacity = yield* send({ ...base, requests: flooding, perSecond: 0, connections: CONNECTIONS })
  const otherTenant = { ...base, requests: other, perSecond: OTHER_TENANT_PER_SECOND }
  const alone = yield* send(otherTenant)
  const { peakMiB, result } = yield* withPeakMemory(
    pid,
    Effect.all(
      {
        flood: send({
          ...base,
          requests: flooding,
          perSecond: Math.round(capacity.servedPerSecond * SATURATION)
        }),
        during: send(otherTenant),
        observer: send({ ...base, requests: flooding, perSecond: OBSERVER_PER_SECOND })
      },
      { concurrency: "unbounded" }
    )
  )
  return { capacity, alone, peakMiB, ...result }
})

interface Service {
  readonly origin: string
  readonly pid: number
  readonly flooding: LoadPlan["requests"]
  readonly other: LoadPlan["requests"]
}

export const overload = Command.make(
  "overload",
  { rounds, seconds, database },
  Effect.fn(function* ({ database, rounds, seconds }) {
    const { origin, pid } = yield* started(database)
    const service = {
      origin,
      pid,
      flooding: requestsOf(yield* login(origin), 501),
      other: requestsOf(yield* login(origin, "other.administrator"), 601)
    }
    const warm = { origin, seconds: WARM_SECONDS, connections: CONNECTIONS, perSecond: 0 }
    yield* send({ ...warm, requests: service.flooding })
    const measured = yield* Effect.replicateEffect(measureRound(service, seconds), rounds)
    yield* report(measured)
  }, Effect.scoped)
).pipe(Command.withDescription("Three times what the service can serve, from one tenant, beside another"))

type Measured = ReadonlyArray<Effect.Success<ReturnType<typeof measureRound>>>

const report = Effect.fnUntraced(function* (rounds: Measured) {
  const line = (name: string, target: string, figure: (round: Measured[number]) => number) => {
    const values = rounds.map(figure).toSorted((a, b) => a - b)
    const [least = 0, middle = 0, most = 0] = [values[0], values[values.length >> 1], values.at(-1)]
    const spread = [least, middle, most].map((value) => value.toFixed(2).padStart(9)).join("")
    return Console.log(`${name.padEnd(52)}${spread}  ${target}`)
  }
  const otherFailures = ({ during: { servedPerSecond, sentPerSecond } }: Measured[number]) =>
    1 - servedPerSecond / sentPerSecond
  const unexpected = ({ during, flood, observer }: Measured[number]) =>
    [during, flood, observer]
      .flatMap(({ statuses }) => Object.entries(statuses))
      .reduce((sum, [status, count]) => sum + (status === "200" || status === "429" ? 0 : count), 0)
  yield* Console.log(`${"".padEnd(52)}${"min".padStart(9)}${"median".padStart(9)}${"max".padStart(9)}`)
  yield* line("served without overload, requests/s", "", ({ capacity }) => capacity.servedPerSecond)
  yield* line(
    "sent in the overload, of that",
    "3",
    (one) => one.flood.sentPerSecond / one.capacity.servedPerSecond
  )
  yield* line(
    "served in the overload, of that",
    "",
    (one) => (one.flood.servedPerSecond + one.during.servedPerSecond) / one.capacity.servedPerSecond
  )
  yield* line("refusals, p95 ms", "≤ 50", ({ observer }) => observer.refused.p95)
  yield* line("highest resident memory, MiB", "< 600", ({ peakMiB }) => peakMiB)
  yield* line("other tenant: p95 ms without overload", "", ({ alone }) => alone.served.p95)
  yield* line(
    "other tenant: p95 in the overload, of that",
    "≤ 4",
    ({ alone, during }) => during.served.p95 / alone.served.p95
  )
  yield* line("other tenant: share of requests refused or failed", "0", otherFailures)
  yield* line("answers other than 200 and 429", "0", unexpected)
})
