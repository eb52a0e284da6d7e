// `pnpm bench overload`: more than the service can do, of one tenant, beside another that asks now and then
// (docs/operations.md, "Overload"). Each load comes from a process of its own. Callers are other machines: so what sends for the tenant
// that overloads takes what the service, its PostgreSQL and those whose answers are timed leave of this one.
import { Console, Data, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { count } from "./Flags.ts"
import { hang } from "./overload/Hanging.ts"
import type { Plan, Sent } from "./overload/Plan.ts"
import { send, sendBehind, sendBeside } from "./overload/Senders.ts"
import { processCpu, residentMiB } from "./ProcessCpu.ts"
import { bareServer, served, temporaryFolder, unlimited } from "./Started.ts"

/** What must hold. */
const GOODPUT_SHARE_MIN = 0.9
const REFUSED_MILLIS_MAX = 50
const RESIDENT_MIB_MAX = 512
const NEIGHBOUR_RATIO_MAX = 2
const RECOVERED_RATIO_MAX = 2

/** Of the most that was served, how much is sent. */
const SATURATION = 3
/** What sends takes only what is left: in a round that sent less nothing is seen. */
const SENT_MIN = 2.7
const WARM_SECONDS = 5
/** Silent connections and slow writers are cut after ten seconds. */
const HANGING_SECONDS = 14
const NEIGHBOUR_PER_SECOND = 20
/** About as long as the answers of the neighbour. */
const BARE_BYTES = 12_000
/** Of the tenant that overloads: refusals are timed where nothing waits in the sender, which a flood's does. */
const OBSERVER_PER_SECOND = 20
const CONNECTIONS = 16
const CONNECTIONS_MAX = 1_000
/** Requests of a mix before it begins anew. */
const MIX_REQUESTS = 60
const LOGINS = ["administrator", "supervisor", "integrator"]

const seconds = count("seconds", 15, "Length of one load")
const rounds = count("rounds", 3, "Times that the most and the overload are measured, in turn")

class Missed extends Data.TaggedError("Missed")<{ readonly message: string }> {}

const decodeLogin = Schema.decodeUnknownPromise(Schema.Struct({ accessToken: Schema.String }))
const login = async (origin: string, name: string): Promise<string> => {
  const answer = await fetch(`${origin}/kw/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ login: name, password: "rapport-demo" })
  })
  return (await decodeLogin(await answer.json())).accessToken
}

const read = (token: string, id: number) =>
  ({
    method: "POST",
    path: "/kw/chatrooms/context/retrieve",
    token,
    body: JSON.stringify({ scope: { entity: "client", id }, actions: {} })
  }) as const
const LIST = "/kw/api/v1/OpChatRooms/list?limit=20&include=client,lastMessage&order[lastMessageAt]=desc"
const list = (token: string) => ({ method: "GET", path: LIST, token }) as const

type Requests = (typeof Plan.Type)["requests"]

/** The requests in turn, each as often as it was answered: a list takes thrice as much of PostgreSQL as a read. */
const inShares = (requests: Requests, answered: ReadonlyArray<number>): Requests => {
  const sum = Math.max(
    1,
    answered.reduce((all, one) => all + one, 0)
  )
  const due = requests.map(() => 0)
  const [first, ...others] = Array.from({ length: MIX_REQUESTS }, () => {
    for (const at of due.keys()) due[at] = (due[at] ?? 0) + (answered[at] ?? 0) / sum
    const next = due.indexOf(Math.max(...due))
    due[next] = (due[next] ?? 0) - 1
    return requests[next] ?? requests[0]
  })
  return [first ?? requests[0], ...others]
}

/** Highest resident memory of a process while the effect runs, and how much of a processor its main thread got. */
const watched = <A, E, R>(pid: number, effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    const { main } = processCpu(pid)
    let peakMiB = residentMiB(pid)
    const timer = setInterval(() => (peakMiB = Math.max(peakMiB, residentMiB(pid))), 100)
    return Effect.map(
      Effect.ensuring(
        effect,
        Effect.sync(() => clearInterval(timer))
      ),
      (result) => ({
        result,
        peakMiB,
        mainShare: ((processCpu(pid).main - main) * 1_000) / (performance.now() - startedAt)
      })
    )
  })

/** The service on its demo, started again: making the demo takes memory that serving it does not. */
const startedAgain = Effect.gen(function* () {
  yield* Console.log("starting the service on the small demo …")
  const service = served({
    // The rates of a minute are not in the way; what may run at once is as it is by default.
    ...Object.fromEntries(Object.entries(unlimited).filter(([name]) => name.endsWith("_PER_MINUTE"))),
    PORT: "0",
    LOG_LEVEL: "error",
    RAPPORT_DATA_DIR: yield* temporaryFolder,
    RAPPORT_SEED: "small"
  })
  yield* Effect.scoped(service)
  return yield* service
})

const measure = Effect.fnUntraced(function* (seconds: number, rounds: number) {
  const { origin, pid } = yield* startedAgain
  const tokens = yield* Effect.promise(() => Promise.all(LOGINS.map((name) => login(origin, name))))
  const foreign = yield* Effect.promise(() => login(origin, "other.administrator"))
  const [one = "", ...others] = tokens
  const asked = [one, ...others].flatMap((token) => [read(token, 501), list(token)])
  const load = { origin, requests: [read(one, 501), ...asked.slice(1)] as const, connections: CONNECTIONS }
  const asking = {
    origin,
    requests: [read(foreign, 601), list(foreign)],
    perSecond: NEIGHBOUR_PER_SECOND,
    seconds,
    connections: CONNECTIONS_MAX
  } as const
  const neighbour = send(asking)
  // All of them for as long as the overload lasts: a crowd that nobody is beside is served more.
  const overloadSeconds = Math.max(seconds, HANGING_SECONDS)
  const besideIt = { ...asking, seconds: overloadSeconds }
  // What any answer takes on a machine that is so busy, the sender's own wait for a processor among it.
  const bare = send({ ...besideIt, origin: yield* bareServer(BARE_BYTES) })
  const observer = send({ ...besideIt, requests: load.requests, perSecond: OBSERVER_PER_SECOND })

  yield* sendBehind({ ...load, perSecond: 0, seconds: WARM_SECONDS })
  const closed = (requests: Requests) => sendBehind({ ...load, requests, perSecond: 0, seconds })
  const crowd = (goodPerSecond: number, seconds: number) =>
    sendBehind({
      ...load,
      perSecond: Math.round(goodPerSecond * SATURATION),
      seconds,
      connections: CONNECTIONS_MAX
    })
  // The most that can be served of what is served: more reads and fewer lists would be more answers.
  const { goodPerSecond } = yield* closed(load.requests)
  const first = yield* closed(inShares(load.requests, (yield* crowd(goodPerSecond, seconds)).goodOf))
  const hanging = yield* Effect.acquireRelease(
    Effect.sync(() => hang(origin, LIST, one)),
    ({ close }) => Effect.sync(close)
  )
  const overloaded = Effect.all(
    [crowd(first.goodPerSecond, overloadSeconds), send(besideIt), observer, bare],
    { concurrency: "unbounded" }
  )
  const round = Effect.gen(function* () {
    const alone = yield* neighbour
    const during = yield* watched(pid, overloaded)
    const [overload, beside, observed, bare] = during.result
    const senders = overload.processors + observed.processors + bare.processors
    const aloneBeside = yield* sendBeside(senders, seconds, neighbour)
    const taken = senders + beside.processors - first.processors
    const mix = inShares(load.requests, overload.goodOf)
    const atMost = yield* watched(pid, sendBeside(taken, seconds, closed(mix)))
    const mainShares = { overload: during.mainShare, most: atMost.mainShare }
    const { peakMiB } = during
    return { alone, aloneBeside, bare, most: atMost.result, overload, beside, observed, peakMiB, mainShares }
  })
  const measured = yield* Effect.replicateEffect(round, rounds)
  const after = yield* neighbour
  return { rounds: measured, after, hanging: hanging.open(), hangingOf: hanging.count }
}, Effect.scoped)

const line = (name: string, value: number, bound: string, holds: boolean) => ({ name, value, bound, holds })

const show = (
  name: string,
  { good, goodPerSecond, processors, refused, sentPerSecond, statuses, unsent }: Sent
) =>
  Console.log(
    [
      `${name.padEnd(12)} sent ${sentPerSecond.toFixed(0)}/s, served ${goodPerSecond.toFixed(0)}/s`,
      `p50 ${good.p50.toFixed(1)} p95 ${good.p95.toFixed(1)} p99 ${good.p99.toFixed(1)} ms`,
      `refused ${refused.count}, p50 ${refused.p50.toFixed(1)} p95 ${refused.p95.toFixed(1)} p99 ${refused.p99.toFixed(1)} ms`,
      `unsent ${unsent}, ${processors.toFixed(2)} processors`,
      JSON.stringify(statuses)
    ].join("; ")
  )

type Measured = Effect.Success<ReturnType<typeof measure>>

/** The middle one: one round that something else disturbed decides nothing. */
const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = 0, high = low] = sorted.slice((sorted.length - 1) / 2, sorted.length / 2 + 1)
  return (low + high) / 2
}

/** What is measured, the bound, and whether it holds. */
const judged = ({ after, hanging, hangingOf, rounds }: Measured) => {
  const middle = (value: (round: Measured["rounds"][number]) => number) => median(rounds.map(value))
  const sent = middle(({ most, overload }) => overload.sentPerSecond / most.goodPerSecond)
  // What the neighbour is served counts as well.
  const share = middle(
    ({ beside, most, observed, overload }) =>
      (overload.goodPerSecond + beside.goodPerSecond + observed.goodPerSecond) / most.goodPerSecond
  )
  const refused = middle(({ observed }) => observed.refused.p95)
  const ratio = middle(({ alone, beside }) => beside.good.p95 / alone.good.p95)
  const besideSenders = middle(({ aloneBeside, beside }) => beside.good.p95 / aloneBeside.good.p95)
  const bareMillis = middle(({ bare }) => bare.good.p95)
  const recovered = after.good.p95 / middle(({ alone }) => alone.good.p95)
  const peakMiB = Math.max(...rounds.map((round) => round.peakMiB))
  const loads = [
    after,
    ...rounds.flatMap(({ alone, aloneBeside, beside, most, observed, overload }) => [
      alone,
      aloneBeside,
      beside,
      most,
      observed,
      overload
    ])
  ]
  const failed = loads.flatMap(({ statuses }) =>
    Object.entries(statuses).filter(([status]) => status !== "200" && status !== "429")
  )
  const others = rounds.reduce((sum, { beside }) => sum + (beside.statuses["429"] ?? 0), 0)
  return [
    line("sent, of the most served", sent, `≥ ${SENT_MIN}`, sent >= SENT_MIN),
    line("served, of the most served", share, `≥ ${GOODPUT_SHARE_MIN}`, share >= GOODPUT_SHARE_MIN),
    line("refused, p95 ms", refused, `≤ ${REFUSED_MILLIS_MAX}`, refused <= REFUSED_MILLIS_MAX),
    line("resident MiB at most", peakMiB, `≤ ${RESIDENT_MIB_MAX}`, peakMiB <= RESIDENT_MIB_MAX),
    line("neighbour's p95, of alone", ratio, `< ${NEIGHBOUR_RATIO_MAX}`, ratio < NEIGHBOUR_RATIO_MAX),
    line("neighbour's p95, of alone beside what the senders take", besideSenders, "", true),
    line("p95 ms of a bare server meanwhile", bareMillis, "", true),
    line("neighbour's refusals", others, "= 0", others === 0),
    line(
      "neighbour's p95 afterwards, of alone",
      recovered,
      `< ${RECOVERED_RATIO_MAX}`,
      recovered < RECOVERED_RATIO_MAX
    ),
    line("answers other than 200 and 429", failed.length, "= 0", failed.length === 0),
    line(`silent connections and slow writers left, of ${hangingOf}`, hanging, "= 0", hanging === 0)
  ]
}

export const overload = Command.make(
  "overload",
  { rounds, seconds },
  Effect.fn(function* ({ rounds, seconds }) {
    const measured = yield* measure(seconds, rounds)
    for (const {
      alone,
      aloneBeside,
      bare,
      beside,
      mainShares,
      most,
      observed,
      overload
    } of measured.rounds) {
      yield* show("alone", alone)
      yield* show("alone so", aloneBeside)
      yield* show("overload", overload)
      yield* show("observer", observed)
      yield* show("beside", beside)
      yield* show("bare", bare)
      yield* show("most", most)
      yield* Console.log(
        `main thread  ${mainShares.overload.toFixed(2)} of a processor in the overload, ${mainShares.most.toFixed(2)} where the most was served`
      )
    }
    yield* show("afterwards", measured.after)
    const lines = judged(measured)
    for (const { bound, holds, name, value } of lines)
      yield* Console.log(
        `${name.padEnd(60)}${value.toFixed(2).padStart(9)}  ${bound.padEnd(8)}${holds ? "" : "missed"}`
      )
    const missed = lines.filter(({ holds }) => !holds).map(({ name }) => name)
    if (missed.length > 0) return yield* new Missed({ message: `missed: ${missed.join("; ")}` })
  })
).pipe(Command.withDescription("Three times what the service can do, of one tenant, beside another"))
