// `pnpm bench compare`: reads against a hand-written Fastify server on the same tables, writes against pgbench.
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { isDeepStrictEqual } from "node:util"
import { COMPARED_KEY, comparedService, type Peer } from "./compare/ComparedService.ts"
import { type ComparedRead, reads } from "./compare/Reads.ts"
import { type Compared, header, line, type Round } from "./compare/Table.ts"
import { type ComparedWrite, writes } from "./compare/Writes.ts"
import { connections, count, seconds as secondsOf, text } from "./Flags.ts"
import { type Load, load } from "./Load.ts"
import { PEER_IDLE_MILLIS } from "./peers/HandRead.ts"
import { pgbench, pgbenchIsMissing } from "./peers/Postgres.ts"
import { familyCpu, processCpu, residentMiB } from "./ProcessCpu.ts"
import { program, running } from "./Started.ts"

const seconds = secondsOf(2)
const rounds = count("rounds", 3, "Rounds; each measures every program once")
const only = text("only", "A regular expression: only rows whose name matches are measured")
const main = text("main", "packages/server/start.js of another checkout, measured in the same rounds")

interface Comparison {
  readonly ours: Peer
  readonly others: ReadonlyArray<Peer>
  readonly fastify: Peer
  readonly rounds: number
  readonly shared: { readonly connections: number; readonly seconds: number }
}

export const compare = Command.make(
  "compare",
  { connections, seconds, rounds, only, main },
  Effect.fn(function* ({ connections, main, only, rounds, seconds }) {
    yield* Console.error("starting the service on the small demo, and its peers …")
    const ours = yield* comparedService("rapport")
    const others = main === "" ? [] : [yield* comparedService("other rapport", main)]
    const fastify = yield* fastifyPeer(ours)
    const comparison = { ours, others, fastify, rounds, shared: { connections, seconds } }
    const compared: Array<Compared> = []
    const pattern = new RegExp(only, "u")
    for (const [name, read] of Object.entries(reads).filter(([name]) => pattern.test(name)))
      compared.push({ name, peers: yield* compareReads(comparison, read) })
    // Connections of the peer's pool are closed first: with them the database has too few for pgbench.
    yield* Effect.sleep(PEER_IDLE_MILLIS)
    for (const [name, write] of Object.entries(writes).filter(([name]) => pattern.test(name)))
      compared.push({ name, peers: yield* compareWrites(comparison, write) })
    yield* Console.log(`${connections} connections, ${rounds} rounds of ${seconds} s: min / median / max`)
    yield* Console.log([header, ...compared.flatMap(line)].join("\n"))
  }, Effect.scoped)
).pipe(Command.withDescription("Reads beside Fastify + pg, writes beside pgbench"))

/** The hand-written server, on the tables of the service. */
const fastifyPeer = (ours: Peer) =>
  Effect.map(
    running(program("packages/bench/src/peers/fastifyServer.ts"), [], {
      ...ours.database.environment,
      PEER_KEY: COMPARED_KEY
    }),
    (started): Peer => ({ ...ours, ...started, name: "Fastify + pg" })
  )

/** Enough requests for V8 to have compiled what is measured. */
const warm = { seconds: 10, requestsMax: 10_000 }

const compareReads = Effect.fnUntraced(function* (comparison: Comparison, read: ComparedRead) {
  const { fastify, others, ours, shared } = comparison
  const all = [ours, ...others, ...(read.hasPeer ? [fastify] : [])]
  yield* Effect.promise(() => requireEqualAnswers([ours, ...(read.hasPeer ? [fastify] : [])], read))
  const planOf = ({ origin, token }: Peer): Load => {
    let count = 0
    return { ...read.request(origin, token, 0), ...shared, each: () => read.request(origin, token, count++) }
  }
  yield* Effect.forEach(all, (peer) => load({ ...planOf(peer), ...warm }))
  return yield* alternately(all, comparison.rounds, (peer) => measure(peer, planOf(peer)))
})

const compareWrites = Effect.fnUntraced(function* (comparison: Comparison, write: ComparedWrite) {
  const { others, ours, shared } = comparison
  const plans = new Map<Peer, Load>()
  for (const peer of [ours, ...others]) {
    const each = yield* Effect.promise(() => write.prepare(peer.origin, peer.token, shared.connections))
    plans.set(peer, { ...each(0, 0), ...shared, each })
  }
  for (const plan of plans.values()) yield* load({ ...plan, ...warm })
  const { script } = write
  if (script !== undefined && pgbenchIsMissing) yield* Console.error("pgbench is not installed")
  const floor = script === undefined || pgbenchIsMissing ? [] : [{ ...ours, name: "pgbench" }]
  return yield* alternately([...plans.keys(), ...floor], comparison.rounds, (peer) => {
    const plan = plans.get(peer)
    return plan === undefined ? pgbench(ours.database, `peers/${script ?? ""}`, shared) : measure(peer, plan)
  })
})

/** Measures every program once a round, so that changes of the machine's speed affect all of them. */
const alternately = Effect.fnUntraced(function* <E>(
  peers: ReadonlyArray<Peer>,
  rounds: number,
  measured: (peer: Peer) => Effect.Effect<Round, E>
) {
  const found = peers.map(({ name }) => ({ name, rounds: new Array<Round>() }))
  for (let round = 0; round < rounds; round++)
    for (const [at, peer] of peers.entries()) found[at]?.rounds.push(yield* measured(peer))
  return found
})

const cpuOf = ({ database, pid }: Peer) => {
  const { all, main } = processCpu(pid)
  return { main, all, database: familyCpu(database.pid) }
}

const measure = Effect.fnUntraced(function* (peer: Peer, plan: Load) {
  const before = cpuOf(peer)
  const outcome = yield* load(plan)
  const after = cpuOf(peer)
  const count = outcome.perSecond * outcome.seconds
  const micros = (name: keyof typeof before) => ((after[name] - before[name]) * 1_000_000) / count
  const round: Round = {
    ...outcome,
    mainMicros: micros("main"),
    processMicros: micros("all"),
    databaseMicros: micros("database"),
    residentMiB: residentMiB(peer.pid)
  }
  return round
})

const requireEqualAnswers = async (peers: ReadonlyArray<Peer>, read: ComparedRead): Promise<void> => {
  const found: Array<unknown> = []
  for (const { origin, token } of peers) {
    const { body, url, ...rest } = read.request(origin, token, 0)
    const response = await fetch(url, body === "" ? rest : { ...rest, body })
    found.push(read.essential(await response.json()))
  }
  if (found.some((one) => !isDeepStrictEqual(one, found[0])))
    throw new Error(`the peers answer differently:\n${found.map((one) => JSON.stringify(one)).join("\n")}`)
}
