// `pnpm bench overload`: one tenant sends three times what the service can serve while another tenant sends a little.
// Every load has a thread of its own; figures are medians of the rounds.
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Worker } from "node:worker_threads"
import { count } from "./Flags.ts"
import type { Outcome } from "./Load.ts"
import type { LoadPlan } from "./overload/sendLoad.ts"
import { residentMiB } from "./ProcessCpu.ts"
import { get, login, query } from "./Requests.ts"
import { startService, temporaryFolder, unlimitedRates } from "./Started.ts"
import { spread, table } from "./Table.ts"

const SATURATION = 3
const WARM_SECONDS = 10
const CONNECTIONS = 16
const CONNECTIONS_MAX = 500
const OTHER_TENANT_PER_SECOND = 20
/** The flood opens its connections before the other loads begin. */
const FLOOD_AHEAD_SECONDS = 5
/** Refusals are timed by a slow sender of the same tenant: in a flood they would wait in the sender. */
const OBSERVER_PER_SECOND = 20

const seconds = count("seconds", 8, "Length of one load")
const rounds = count("rounds", 3, "Rounds: capacity, only the other tenant, flood with other tenant")

const LIST = "/kw/api/v1/OpChatRooms/list?limit=20&include=client,lastMessage&order[lastMessageAt]=desc"
const requestsOf = (origin: string, token: string, clientId: number): LoadPlan["requests"] => [
  query(`${origin}/kw/chatrooms/context/retrieve`, token, {
    scope: { entity: "client", id: clientId },
    actions: {}
  }),
  get(`${origin}${LIST}`, token)
]

/** Runs a load in a thread of its own and returns what it measured. */
const send = (plan: LoadPlan) =>
  Effect.promise(
    () =>
      new Promise<Outcome>((resolve, reject) => {
        const thread = new Worker(new URL("./overload/sendLoad.ts", import.meta.url), { workerData: plan })
        thread.once("message", resolve).once("error", reject)
      })
  ).pipe(
    Effect.map((outcome) => ({ ...outcome, answeredPerSecond: outcome.answered.count / outcome.seconds }))
  )

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

const measureRound = Effect.fnUntraced(function* (service: Service, seconds: number) {
  const flooding = { requests: service.flooding, seconds, connections: CONNECTIONS_MAX }
  const other = {
    requests: service.other,
    seconds,
    connections: CONNECTIONS,
    perSecond: OTHER_TENANT_PER_SECOND
  }
  const capacity = yield* send({ ...flooding, connections: CONNECTIONS })
  const undisturbed = yield* send(other)
  const observer = { ...flooding, connections: CONNECTIONS, perSecond: OBSERVER_PER_SECOND }
  const loads = Effect.all(
    {
      flood: send({
        ...flooding,
        seconds: seconds + FLOOD_AHEAD_SECONDS,
        perSecond: Math.round(capacity.answeredPerSecond * SATURATION)
      }),
      during: Effect.delay(send(other), `${FLOOD_AHEAD_SECONDS} seconds`),
      observer: Effect.delay(send(observer), `${FLOOD_AHEAD_SECONDS} seconds`)
    },
    { concurrency: "unbounded" }
  )
  const { peakMiB, result } = yield* withPeakMemory(service.pid, loads)
  return { capacity, undisturbed, peakMiB, ...result }
})

interface Service {
  readonly pid: number
  readonly flooding: LoadPlan["requests"]
  readonly other: LoadPlan["requests"]
}

export const overload = Command.make(
  "overload",
  { rounds, seconds },
  Effect.fn(function* ({ rounds, seconds }) {
    // The limits of concurrency keep their defaults.
    const { origin, pid } = yield* startService(yield* temporaryFolder, unlimitedRates)
    const service = {
      pid,
      flooding: requestsOf(origin, yield* login(origin), 501),
      other: requestsOf(origin, yield* login(origin, "other.administrator"), 601)
    }
    yield* send({ requests: service.flooding, seconds: WARM_SECONDS, connections: CONNECTIONS })
    const measured = yield* Effect.replicateEffect(measureRound(service, seconds), rounds)
    yield* report(measured)
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Three times what the service can serve, from one tenant, while another sends a little"
  )
)

type Measured = ReadonlyArray<Effect.Success<ReturnType<typeof measureRound>>>

const report = (rounds: Measured) => {
  const row = (name: string, target: string, figure: (round: Measured[number]) => number) => [
    name,
    spread(rounds.map(figure), 2),
    target
  ]
  const countUnexpected = ({ during, flood, observer }: Measured[number]) =>
    [during, flood, observer].reduce((sum, { failures, refused }) => sum + failures - refused.count, 0)
  const rows = [
    row("answered without overload, requests/s", "", ({ capacity }) => capacity.answeredPerSecond),
    row(
      "sent in the overload, of that",
      "3",
      ({ capacity, flood }) => flood.perSecond / capacity.answeredPerSecond
    ),
    row(
      "answered in the overload, of that",
      "",
      ({ capacity, during, flood }) =>
        (flood.answeredPerSecond + during.answeredPerSecond) / capacity.answeredPerSecond
    ),
    row("refusals, p95 ms", "≤ 50", ({ observer }) => observer.refused.p95),
    row("highest resident memory, MiB", "< 600", ({ peakMiB }) => peakMiB),
    row("other tenant: p95 ms without overload", "", ({ undisturbed }) => undisturbed.answered.p95),
    row(
      "other tenant: p95 in the overload, of that",
      "≤ 4",
      ({ during, undisturbed }) => during.answered.p95 / undisturbed.answered.p95
    ),
    row(
      "other tenant: share of requests refused or failed",
      "0",
      ({ during }) => during.failures / (during.failures + during.answered.count)
    ),
    row("answers other than 200 and 429", "0", countUnexpected)
  ]
  return Console.log(table(["", "min / median / max", "target"], rows))
}
