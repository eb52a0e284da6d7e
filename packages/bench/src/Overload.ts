// `pnpm bench overload`: more than the service can do, of one tenant, beside another that asks now and then
// (docs/operations.md, "Overload"). Each load comes from a process of its own. Callers are other machines: so what sends for the tenant
// that overloads takes what the service, its PostgreSQL and those whose answers are timed leave of this one.
import { Console, Data, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { randomBytes } from "node:crypto"
import { count, text } from "./Flags.ts"
import { hang, type Hanging } from "./overload/Hanging.ts"
import { judged, showLine, showLoads } from "./overload/Judged.ts"
import type { Plan, Sent } from "./overload/Plan.ts"
import { send, sendBehind, sendBeside } from "./overload/Senders.ts"
import { machineCpu, processCpu, residentMiB } from "./ProcessCpu.ts"
import { bareServer, served, temporaryFolder, unlimited } from "./Started.ts"

/** Of the most that was served, how much is sent. */
const SATURATION = 3
const WARM_SECONDS = 3
/** Code is compiled while it serves: warm is what serves hardly more than in the load before, which it is after so many at the latest. */
const WARM_GROWTH_MAX = 1.05
const WARM_LOADS_MAX = 6
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

const seconds = count("seconds", 8, "Length of one load")
const rounds = count("rounds", 5, "Times that the most and the overload are measured, in turn")

const database = text("database", "URL of an empty database: without it, the embedded one")

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

/**
 * Highest resident memory of a process while the effect runs, how much of a processor its main thread got, and how many of them programs
 * that have nothing to do with this.
 */
const watched = <A, E, R>(pid: number, effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    const { main } = processCpu(pid)
    const before = machineCpu()
    let peakMiB = residentMiB(pid)
    const timer = setInterval(() => (peakMiB = Math.max(peakMiB, residentMiB(pid))), 100)
    return Effect.map(
      Effect.ensuring(
        effect,
        Effect.sync(() => clearInterval(timer))
      ),
      (result) => {
        const seconds = (performance.now() - startedAt) / 1_000
        const { all, ours } = machineCpu()
        return {
          result,
          peakMiB,
          mainShare: (processCpu(pid).main - main) / seconds,
          strangers: (all - before.all - (ours - before.ours)) / seconds
        }
      }
    )
  })

/** The service on its demo, started again: making the demo takes memory that serving it does not. */
const startedAgain = Effect.fnUntraced(function* (database: string) {
  yield* Console.log("starting the service on the small demo …")
  const service = served({
    // The rates of a minute are not in the way; what may run at once is as it is by default.
    ...Object.fromEntries(Object.entries(unlimited).filter(([name]) => name.endsWith("_PER_MINUTE"))),
    PORT: "0",
    LOG_LEVEL: "error",
    RAPPORT_DATA_DIR: yield* temporaryFolder,
    RAPPORT_SEED: "small",
    RAPPORT_TOKEN_KEYS: randomBytes(32).toString("base64url"),
    ...(database === "" ? {} : { DATABASE_URL: database })
  })
  yield* Effect.scoped(service)
  return yield* service
})

/** Sends a load again and again until hardly more is served than before. */
const warmed = (load: Effect.Effect<Sent>) =>
  Effect.gen(function* () {
    let { goodPerSecond } = yield* load
    for (let n = 1; n < WARM_LOADS_MAX; n++) {
      const before = goodPerSecond
      goodPerSecond = (yield* load).goodPerSecond
      if (goodPerSecond < before * WARM_GROWTH_MAX) return
    }
  })

/** All that is sent to a service that was just started. */
const makeLoads = Effect.fnUntraced(function* (seconds: number, database: string) {
  const { origin, pid } = yield* startedAgain(database)
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
  // What any answer takes on a machine that is so busy, the sender's own wait for a processor among it.
  const bare = send({ ...asking, origin: yield* bareServer(BARE_BYTES) })
  const observer = send({ ...asking, requests: load.requests, perSecond: OBSERVER_PER_SECOND })
  const closed = (requests: Requests, seconds: number) =>
    sendBehind({ ...load, requests, perSecond: 0, seconds })
  const crowd = (most: Sent) => {
    const perSecond = Math.round(most.goodPerSecond * SATURATION)
    return sendBehind({ ...load, perSecond, seconds, connections: CONNECTIONS_MAX })
  }
  const hangings: Array<Hanging> = []
  const hanging = Effect.acquireRelease(
    Effect.sync(() => {
      const hanging = hang(origin, LIST, one)
      hangings.push(hanging)
      return hanging
    }),
    ({ close }) => Effect.sync(close)
  )
  const overloaded = Effect.fnUntraced(function* (most: Sent) {
    yield* hanging
    const all = Effect.all([crowd(most), neighbour, observer, bare], { concurrency: "unbounded" })
    const { result, ...during } = yield* watched(pid, all)
    const [overload, beside, observed, bareLoad] = result
    const senders = overload.processors + observed.processors + bareLoad.processors
    return { ...during, overload, beside, observed, bare: bareLoad, senders }
  })
  /** The most that is served of what an overload was served, beside a program that takes what its senders took. */
  const mostOf = (during: Effect.Success<ReturnType<typeof overloaded>>, most: Sent) => {
    const taken = during.senders + during.beside.processors - most.processors
    const mix = inShares(load.requests, during.overload.goodOf)
    return watched(pid, sendBeside(taken, seconds, closed(mix, seconds)))
  }

  return { requests: load.requests, neighbour, closed, crowd, overloaded, mostOf, hangings }
})

const measure = Effect.fnUntraced(function* (seconds: number, rounds: number, database: string) {
  const { closed, crowd, hangings, mostOf, neighbour, overloaded, requests } = yield* makeLoads(
    seconds,
    database
  )
  yield* warmed(closed(requests, WARM_SECONDS))
  // The first of all tells what is served, and what its senders take.
  const unmixed = yield* closed(requests, seconds)
  let before = yield* mostOf(yield* overloaded(unmixed), unmixed)
  const round = Effect.gen(function* () {
    const alone = yield* neighbour
    const during = yield* overloaded(before.result)
    const between = yield* mostOf(during, before.result)
    const crowdAlone = yield* crowd(between.result)
    const aloneBeside = yield* sendBeside(during.senders, seconds, neighbour)
    const after = yield* mostOf(during, between.result)
    const mosts = [before.result, between.result, after.result] as const
    const strangers = Math.max(during.strangers, before.strangers, between.strangers)
    before = after
    return { ...during, strangers, alone, aloneBeside, crowdAlone, mosts, mostMainShare: between.mainShare }
  })
  const measured = yield* Effect.replicateEffect(round, rounds)
  const after = yield* neighbour
  const sum = (of: (hanging: Hanging) => number) => hangings.reduce((all, one) => all + of(one), 0)
  return {
    rounds: measured,
    after,
    hanging: sum((one) => one.open()),
    hangingOf: sum((one) => one.count)
  }
}, Effect.scoped)

export const overload = Command.make(
  "overload",
  { rounds, seconds, database },
  Effect.fn(function* ({ database, rounds, seconds }) {
    const measured = yield* measure(seconds, rounds, database)
    yield* showLoads(measured)
    const lines = judged(measured)
    for (const line of lines) yield* showLine(line)
    const missed = lines.filter(({ holds }) => !holds).map(({ name }) => name)
    if (missed.length > 0) return yield* new Missed({ message: `missed: ${missed.join("; ")}` })
  })
).pipe(Command.withDescription("Three times what the service can do, of one tenant, beside another"))
