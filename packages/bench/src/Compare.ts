// `pnpm bench compare`: reads and writes beside what would be written by hand over the same tables, in the same run.
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { isDeepStrictEqual } from "node:util"
import { randomUUID } from "node:crypto"
import { type Compared, header, line, type Round } from "./compare/Table.ts"
import { type Load, load } from "./Load.ts"
import { type Database, databaseOf, pgbench, pgbenchIsMissing } from "./peers/Postgres.ts"
import { familyCpu, processCpu, residentMiB } from "./ProcessCpu.ts"
import { connections, login, seconds } from "./Read.ts"
import { program, running, type Running, temporaryFolder, unlimited } from "./Started.ts"

const rounds = Flag.Int("rounds").pipe(
  Flag.withDescription("Measurements of each, taken in turn"),
  Flag.withDefault(5)
)
const open = Flag.Int("open").pipe(
  Flag.withDescription("Requests a second of an open load: latencies without coordinated omission"),
  Flag.withDefault(0)
)
const only = Flag.String("only").pipe(
  Flag.withDescription("Compares what has this text in its name alone"),
  Flag.withDefault("")
)
const main = Flag.String("main").pipe(
  Flag.withDescription("The main.ts of another checkout, measured beside this one on data of its own"),
  Flag.withDefault("")
)

const scope = { entity: "client", id: 501 }
const reads = {
  "state, properties": { scope },
  "state, properties, 20 actions": { scope, actions: {} }
}
const action = {
  type: "order.created",
  occurredAt: "2026-03-01T08:00:00Z",
  actorType: "client",
  summary: "Замовлення 10442, два роутери",
  payload: { total: 3198 }
}

interface Peer extends Running {
  readonly name: string
  readonly token: string
  readonly database: Database
}

/** The service of a checkout on the small demo, its key known to the peers. */
const serviceOf = Effect.fnUntraced(function* (name: string, file: string, key: string) {
  const folder = yield* temporaryFolder
  const service = yield* running(file, ["serve"], {
    ...unlimited,
    PORT: "0",
    LOG_LEVEL: "error",
    RAPPORT_TOKEN_KEYS: key,
    RAPPORT_DATA_DIR: folder,
    RAPPORT_SEED: "small"
  })
  const peer: Peer = { ...service, name, token: yield* login(service.origin), database: databaseOf(folder) }
  return peer
})

export const compare = Command.make(
  "compare",
  { connections, seconds, rounds, open, only, main },
  Effect.fn(function* ({ connections, main, only, open, rounds, seconds }) {
    yield* Console.error("starting the service on the small demo, and its peers …")
    const key = Buffer.from(randomUUID().replaceAll("-", "")).toString("base64url")
    const ours = yield* serviceOf("rapport", program("packages/server/src/main.ts"), key)
    const others = main === "" ? [] : [yield* serviceOf("the other rapport", main, key)]
    const compared: Array<Compared> = []
    const shared = { connections, seconds, ...(open > 0 ? { perSecond: open } : {}) }
    const round = { ours, others, rounds, shared }
    for (const [name, request] of Object.entries(reads).filter(([name]) => name.includes(only)))
      compared.push({ name, peers: yield* Effect.scoped(comparedReads(round, key, JSON.stringify(request))) })
    if ("POST action".includes(only))
      compared.push({ name: "POST action", peers: yield* comparedWrites(round) })
    yield* Console.log(
      `${connections} connections, ${rounds} × ${seconds} s of each in turn: min / median / max`
    )
    yield* Console.log([header, ...compared.flatMap(line)].join("\n"))
  }, Effect.scoped)
).pipe(Command.withDescription("Reads and writes beside Fastify + pg, node:http + pg and pgbench"))

interface Comparison {
  readonly ours: Peer
  readonly others: ReadonlyArray<Peer>
  readonly rounds: number
  readonly shared: { readonly connections: number; readonly seconds: number; readonly perSecond?: number }
}
/** Compiled code is what is measured: a service that is seldom asked runs cold for long. */
const warm = { seconds: 60, requestsMax: 3_000 }

const comparedReads = Effect.fnUntraced(function* (
  { others, ours, rounds, shared }: Comparison,
  key: string,
  body: string
) {
  const environment = { ...ours.database.environment, PEER_KEY: key }
  const peerOf = (name: string, file: string) =>
    Effect.map(running(program(`packages/bench/src/peers/${file}`), [], environment), (peer): Peer => ({
      ...ours,
      ...peer,
      name
    }))
  const all = [
    ours,
    ...others,
    yield* peerOf("Fastify + pg", "fastifyServer.ts"),
    yield* peerOf("node:http + pg", "rawServer.ts")
  ]
  yield* Effect.promise(() => requireAlike(all, body))
  const planOf = ({ origin, token }: Peer) => ({
    ...asked(`${origin}/kw/chatrooms/context/retrieve`, token, body),
    ...shared
  })
  yield* Effect.forEach(all, (peer) => load({ ...planOf(peer), ...warm }))
  return yield* inTurn(all, rounds, (peer, rest) => measure(peer, planOf(peer), rest))
})

const comparedWrites = Effect.fnUntraced(function* ({ others, ours, rounds, shared }: Comparison) {
  const planOf = ({ origin, token }: Peer) => {
    const once = () => asked(`${origin}/kw/clients/501/context/actions`, token, JSON.stringify(action))
    return { ...once(), ...shared, each: once }
  }
  const all = [ours, ...others]
  yield* Effect.forEach(all, (peer) => load({ ...planOf(peer), ...warm }))
  const floor: Peer = { ...ours, name: "pgbench" }
  if (pgbenchIsMissing) yield* Console.error("there is no pgbench: writes have no floor")
  return yield* inTurn([...all, ...(pgbenchIsMissing ? [] : [floor])], rounds, (peer, rest) =>
    peer === floor ? pgbench(ours.database, "peers/action.sql", shared) : measure(peer, planOf(peer), rest)
  )
})

const asked = (url: string, token: string, body: string) => ({
  url,
  method: "POST" as const,
  headers: {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "idempotency-key": randomUUID()
  },
  body
})

/** One measurement of each, so many times, so that the machine's moods meet all of them. */
const inTurn = Effect.fnUntraced(function* (
  peers: ReadonlyArray<Peer>,
  rounds: number,
  measured: (peer: Peer, rest: Spent) => Effect.Effect<Round>
) {
  const rests = yield* Effect.forEach(peers, resting)
  const found = peers.map(({ name }) => ({ name, rounds: new Array<Round>() }))
  for (let round = 0; round < rounds; round++)
    for (const [at, peer] of peers.entries())
      found[at]?.rounds.push(yield* measured(peer, rests[at] ?? nothing))
  return found
})

const spentOf = ({ database, pid }: Peer) => {
  const { all, main } = processCpu(pid)
  return { main, all, database: familyCpu(database.pid) }
}
type Spent = ReturnType<typeof spentOf>
const nothing: Spent = { main: 0, all: 0, database: 0 }
const RESTING_SECONDS = 2

/** What a peer and its database take while nobody asks, a second: polls and sweeps are no part of a request. */
const resting = Effect.fnUntraced(function* (peer: Peer) {
  const before = spentOf(peer)
  yield* Effect.sleep(`${RESTING_SECONDS} seconds`)
  const now = spentOf(peer)
  const rate = (name: keyof Spent) => (now[name] - before[name]) / RESTING_SECONDS
  return { main: rate("main"), all: rate("all"), database: rate("database") }
})

const measure = Effect.fnUntraced(function* (peer: Peer, plan: Load, rest: Spent) {
  const before = spentOf(peer)
  const outcome = yield* load(plan)
  const now = spentOf(peer)
  const count = outcome.perSecond * outcome.seconds
  const micros = (name: keyof Spent) =>
    ((now[name] - before[name] - rest[name] * outcome.seconds) * 1_000_000) / count
  const round: Round = {
    ...outcome,
    mainMicros: micros("main"),
    processMicros: micros("all"),
    databaseMicros: micros("database"),
    residentMiB: residentMiB(peer.pid)
  }
  return round
})

/** The answers of all have the same essential members, or nothing is compared. */
const requireAlike = async (peers: ReadonlyArray<Peer>, body: string): Promise<void> => {
  const found: Array<unknown> = []
  for (const { origin, token } of peers.filter(({ name }) => name !== "the other rapport")) {
    const { url, ...rest } = asked(`${origin}/kw/chatrooms/context/retrieve`, token, body)
    found.push(essential(await (await fetch(url, rest)).json()))
  }
  if (found.some((one) => !isDeepStrictEqual(one, found[0])))
    throw new Error(`the peers answer differently:\n${found.map((one) => JSON.stringify(one)).join("\n")}`)
}

const member = (value: unknown, ...names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>(
    (at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined),
    value
  )
const picked = (list: unknown, ...names: ReadonlyArray<string>): ReadonlyArray<unknown> =>
  Array.isArray(list) ? list.map((one) => names.map((name) => member(one, name))) : []

/** State and actions as they were written. Ours may leave out the oldest actions for the budget of tokens: the first ten. */
const essential = (pack: unknown) => {
  const sections = member(pack, "sections")
  const state = member(sections, "state", "namespaces") ?? member(sections, "state")
  const actions = member(sections, "actions", "items") ?? member(sections, "actions")
  return {
    state: picked(state, "namespace", "version", "state"),
    actions: picked(actions, "id", "type", "summary", "payload").slice(0, 10)
  }
}
