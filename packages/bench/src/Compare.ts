// `pnpm bench compare`: reads against a hand-written Fastify server on the same tables, writes against pgbench.
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { isDeepStrictEqual } from "node:util"
import { COMPARED_KEY, comparedService, type Peer } from "./compare/ComparedService.ts"
import { type ComparedRead, reads } from "./compare/Reads.ts"
import { type ComparedWrite, writes } from "./compare/Writes.ts"
import { connections, count, seconds as secondsOf, text } from "./Flags.ts"
import { type Load, load } from "./Load.ts"
import { measure, type Measured } from "./Measure.ts"
import { PEER_IDLE_MILLIS } from "./peers/HandRead.ts"
import { pgbench, pgbenchIsMissing } from "./peers/Postgres.ts"
import { program, running } from "./Started.ts"
import { spread, table } from "./Table.ts"

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
    const pattern = new RegExp(only, "u")
    const compared: Array<ReadonlyArray<string>> = []
    for (const [name, read] of Object.entries(reads).filter(([name]) => pattern.test(name)))
      compared.push(...rowsOf(name, yield* compareReads(comparison, read)))
    // Connections of the peer's pool are closed first: with them the database has too few for pgbench.
    yield* Effect.sleep(PEER_IDLE_MILLIS)
    for (const [name, write] of Object.entries(writes).filter(([name]) => pattern.test(name)))
      compared.push(...rowsOf(name, yield* compareWrites(comparison, write)))
    yield* Console.log(`${connections} connections, ${rounds} rounds of ${seconds} s: min / median / max`)
    yield* Console.log(table(header, compared))
  }, Effect.scoped)
).pipe(Command.withDescription("Reads compared with Fastify + pg, writes with pgbench"))

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
    const each = yield* Effect.promise(() => write.prepare(peer.origin, peer.token))
    plans.set(peer, { ...each(), ...shared, each })
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
  measured: (peer: Peer) => Effect.Effect<Measured, E>
) {
  const found = peers.map(({ name }) => ({ name, rounds: new Array<Measured>() }))
  for (let round = 0; round < rounds; round++)
    for (const [at, peer] of peers.entries()) found[at]?.rounds.push(yield* measured(peer))
  return found
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

type Figure = (round: Measured) => number
const figures: ReadonlyArray<readonly [name: string, figure: Figure, digits: number]> = [
  ["req/s", (round) => round.perSecond, 0],
  ["main µs", (round) => round.micros.main, 0],
  ["process µs", (round) => round.micros.process, 0],
  ["PostgreSQL µs", (round) => round.micros.database, 0],
  ["p50 ms", (round) => round.answered.p50, 1],
  ["p95 ms", (round) => round.answered.p95, 1],
  ["p99 ms", (round) => round.answered.p99, 1],
  ["MiB", (round) => round.residentMiB, 0],
  ["failed", (round) => round.failures, 0]
]
const header = ["what", "program", ...figures.map(([name]) => name), "ours: req/s", "ours: CPU"]

/** A row for each program; the last columns are ours divided by the peer's, of the pairs of one round each. */
const rowsOf = (name: string, peers: Effect.Success<ReturnType<typeof compareReads>>) =>
  peers.map((peer, at) => {
    const ratio = (figure: Figure) => {
      const pairs = (peers[0]?.rounds ?? []).flatMap((ours, round) => {
        const other = peer.rounds[round]
        return other === undefined || figure(other) === 0 ? [] : [figure(ours) / figure(other)]
      })
      return at === 0 ? "" : spread(pairs, 2)
    }
    return [
      at === 0 ? name : "",
      peer.name,
      ...figures.map(([, figure, digits]) => spread(peer.rounds.map(figure), digits)),
      ratio((round) => round.perSecond),
      ratio((round) => round.micros.process + round.micros.database)
    ]
  })
