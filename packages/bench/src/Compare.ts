// `pnpm bench compare`: reads and writes beside what would be written by hand over the same tables, in the same run.
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { count, seconds as secondsOf, text } from "./Flags.ts"
import { isDeepStrictEqual } from "node:util"
import { COMPARED_KEY, comparedService, type Peer } from "./compare/ComparedService.ts"
import { type Compared, header, line, type Round } from "./compare/Table.ts"
import { type ComparedRead, peerNames, reads } from "./compare/Reads.ts"
import { type ComparedWrite, writes } from "./compare/Writes.ts"
import { type Load, load } from "./Load.ts"
import { PEER_IDLE_MILLIS } from "./peers/HandRead.ts"
import { pgbench, pgbenchIsMissing } from "./peers/Postgres.ts"
import { familyCpu, processCpu, residentMiB } from "./ProcessCpu.ts"
import { connections } from "./Read.ts"
import { program, running } from "./Started.ts"

const seconds = secondsOf(2)
const rounds = count("rounds", 3, "Measurements of each, taken in turn")
const open = count("open", 0, "Requests a second of an open load: latencies without coordinated omission")
const only = text("only", "Compares what a regular expression finds by its name alone")
const main = text("main", "The main.ts of another checkout, measured beside this one on data of its own")

export const compare = Command.make(
  "compare",
  { connections, seconds, rounds, open, only, main },
  Effect.fn(function* ({ connections, main, only, open, rounds, seconds }) {
    yield* Console.error("starting the service on the small demo, and its peers …")
    const ours = yield* comparedService("rapport")
    const others = main === "" ? [] : [yield* comparedService("the other rapport", main)]
    const peers = yield* peersOf(ours)
    const rests = yield* restingAll([ours, ...others, ...Object.values(peers)])
    const compared: Array<Compared> = []
    const shared = { connections, seconds, ...(open > 0 ? { perSecond: open } : {}) }
    const comparison = { ours, others, peers, rounds, rests, shared }
    const wanted = new RegExp(only, "u")
    for (const [name, read] of Object.entries(reads).filter(([name]) => wanted.test(name)))
      compared.push({ name, peers: yield* comparedReads(comparison, read) })
    for (const [name, write] of Object.entries(writes).filter(([name]) => wanted.test(name))) {
      const peers = yield* comparedWrites(comparison, write)
      compared.push({ name, peers })
      if (write.version !== undefined) compared.push({ name: `${name}: those that won`, peers: wonOf(peers) })
    }
    yield* Console.log(
      `${connections} connections, ${rounds} × ${seconds} s of each in turn: min / median / max`
    )
    yield* Console.log([header, ...compared.flatMap(line)].join("\n"))
  }, Effect.scoped)
).pipe(Command.withDescription("Reads and writes beside Fastify + pg, node:http + pg and pgbench"))

type Peers = Readonly<Record<keyof typeof peerNames, Peer>>

/** Those written by hand, on the tables of the service. */
const peersOf = Effect.fnUntraced(function* (ours: Peer) {
  const environment = { ...ours.database.environment, PEER_KEY: COMPARED_KEY }
  const started = (file: keyof Peers) =>
    Effect.map(running(program(`packages/bench/src/peers/${file}`), [], environment), (peer): Peer => ({
      ...ours,
      ...peer,
      name: peerNames[file]
    }))
  const peers: Peers = {
    "fastifyServer.ts": yield* started("fastifyServer.ts"),
    "rawServer.ts": yield* started("rawServer.ts")
  }
  return peers
})

interface Comparison {
  readonly ours: Peer
  readonly others: ReadonlyArray<Peer>
  readonly peers: Peers
  readonly rounds: number
  readonly rests: ReadonlyMap<Peer, Spent>
  readonly shared: { readonly connections: number; readonly seconds: number; readonly perSecond?: number }
}
/** Compiled code is what is measured: a service that is seldom asked runs cold for long. */
const warm = { seconds: 60, requestsMax: 20_000 }

const comparedReads = Effect.fnUntraced(function* (comparison: Comparison, read: ComparedRead) {
  const { others, ours, peers, shared } = comparison
  const all = [ours, ...others, ...read.peers.map((file) => peers[file])]
  yield* Effect.promise(() => requireAlike(all, read))
  const planOf = ({ origin, token }: Peer) => {
    let count = 0
    return {
      ...read.asked(origin, token, 0),
      ...shared,
      each: () => read.asked(origin, token, count++)
    }
  }
  yield* Effect.forEach(all, (peer) => load({ ...planOf(peer), ...warm }))
  return yield* inTurn(all, comparison, (peer, rest) => measure(peer, planOf(peer), rest))
})

const comparedWrites = Effect.fnUntraced(function* (comparison: Comparison, write: ComparedWrite) {
  const { others, ours, shared: given } = comparison
  const shared = { ...given, connections: write.connections ?? given.connections }
  const planOf = ({ origin, token }: Peer) => {
    const each: Load["each"] = (_connection, _n, last) => write.asked(origin, token, last)
    return { ...write.asked(origin, token), ...shared, each }
  }
  const all = [ours, ...others]
  yield* Effect.forEach(all, (peer) => load({ ...planOf(peer), ...warm }))
  // The connections of those that read before are given back: with them the database has too few for pgbench.
  yield* Effect.sleep(PEER_IDLE_MILLIS)
  const floor: Peer = { ...ours, name: "pgbench" }
  if (pgbenchIsMissing) yield* Console.error("there is no pgbench: writes have no floor")
  const versionOf = ({ origin, token }: Peer) =>
    Effect.promise(() => write.version?.(origin, token) ?? Promise.resolve(0))
  return yield* inTurn([...all, ...(pgbenchIsMissing ? [] : [floor])], comparison, (peer, rest) =>
    Effect.gen(function* () {
      const before = yield* versionOf(peer)
      const round = yield* peer === floor
        ? pgbench(ours.database, `peers/${write.script}`, shared)
        : measure(peer, planOf(peer), rest)
      if (write.version === undefined) return round
      const won = (yield* versionOf(peer)) - before
      return { ...round, failures: round.perSecond * round.seconds - won }
    })
  )
})

/** The same rounds by what had an effect. */
const wonOf = (peers: Compared["peers"]): Compared["peers"] =>
  peers.map(({ name, rounds }) => ({
    name,
    rounds: rounds.map((round) => {
      const all = round.perSecond * round.seconds
      const won = Math.max(1, all - round.failures)
      return {
        ...round,
        perSecond: won / round.seconds,
        mainMicros: (round.mainMicros * all) / won,
        processMicros: (round.processMicros * all) / won,
        databaseMicros: (round.databaseMicros * all) / won
      }
    })
  }))

/** One measurement of each, so many times, so that the machine's moods meet all of them. */
const inTurn = Effect.fnUntraced(function* (
  peers: ReadonlyArray<Peer>,
  { rests, rounds }: Comparison,
  measured: (peer: Peer, rest: Spent) => Effect.Effect<Round>
) {
  const found = peers.map(({ name }) => ({ name, rounds: new Array<Round>() }))
  for (let round = 0; round < rounds; round++)
    for (const [at, peer] of peers.entries())
      found[at]?.rounds.push(yield* measured(peer, rests.get(peer) ?? nothing))
  return found
})

const spentOf = ({ database, pid }: Peer) => {
  const { all, main } = processCpu(pid)
  return { main, all, database: familyCpu(database.pid) }
}
type Spent = ReturnType<typeof spentOf>
const nothing: Spent = { main: 0, all: 0, database: 0 }
const RESTING_SECONDS = 2

/** What each and its database take while nobody asks, a second: polls and sweeps are no part of a request. */
const restingAll = Effect.fnUntraced(function* (peers: ReadonlyArray<Peer>) {
  const before = peers.map(spentOf)
  yield* Effect.sleep(`${RESTING_SECONDS} seconds`)
  const rates = peers.map((peer, at): readonly [Peer, Spent] => {
    const now = spentOf(peer)
    const rate = (name: keyof Spent) => (now[name] - (before[at] ?? now)[name]) / RESTING_SECONDS
    return [peer, { main: rate("main"), all: rate("all"), database: rate("database") }]
  })
  return new Map(rates)
})

const measure = Effect.fnUntraced(function* (peer: Peer, plan: Load, rest: Spent) {
  const before = spentOf(peer)
  const generatorBefore = process.cpuUsage()
  const outcome = yield* load(plan)
  const now = spentOf(peer)
  const generator = process.cpuUsage(generatorBefore)
  const count = outcome.perSecond * outcome.seconds
  const micros = (name: keyof Spent) =>
    ((now[name] - before[name] - rest[name] * outcome.seconds) * 1_000_000) / count
  const round: Round = {
    ...outcome,
    mainMicros: micros("main"),
    processMicros: micros("all"),
    databaseMicros: micros("database"),
    generatorMicros: (generator.user + generator.system) / count,
    residentMiB: residentMiB(peer.pid)
  }
  return round
})

/** The answers of all have the same essential members, or nothing is compared. */
const requireAlike = async (peers: ReadonlyArray<Peer>, read: ComparedRead): Promise<void> => {
  const found: Array<unknown> = []
  for (const { origin, token } of peers.filter(({ name }) => name !== "the other rapport")) {
    const { body, url, ...rest } = read.asked(origin, token, 0)
    const response = await fetch(url, body === "" ? rest : { ...rest, body })
    found.push(read.essential(await response.json()))
  }
  if (found.some((one) => !isDeepStrictEqual(one, found[0])))
    throw new Error(`the peers answer differently:\n${found.map((one) => JSON.stringify(one)).join("\n")}`)
}
