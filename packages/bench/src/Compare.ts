// `pnpm bench compare`: reads against a hand-written Fastify server on the same tables, writes against pgbench.
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { isDeepStrictEqual } from "node:util"
import { COMPARED_KEY, startComparedService, type Peer } from "./compare/ComparedService.ts"
import { type ComparedRead, reads } from "./compare/Reads.ts"
import { type ComparedWrite, writes } from "./compare/Writes.ts"
import { connections, count, seconds as secondsOf, text } from "./Flags.ts"
import { type Load, load } from "./Load.ts"
import { figureNames, figuresOf, measure, type Measured } from "./Measure.ts"
import { PEER_IDLE_MILLIS, pgbench, pgbenchIsMissing } from "./peers/Postgres.ts"
import { program } from "./Repository.ts"
import { startProgram } from "./Started.ts"
import { spread, table } from "./Table.ts"

const seconds = secondsOf(2)
const rounds = count("rounds", 3, "Rounds; each measures every program once")
const only = text("only", "A regular expression: only rows whose name matches are measured")
const main = text("main", "packages/server/start.js of another checkout, measured in the same rounds")

interface Comparison {
  readonly ours: Peer
  readonly others: ReadonlyArray<Peer>
  readonly fastify: Peer
  readonly shared: { readonly connections: number; readonly seconds: number }
}

/** A program and how a round of it is measured. */
interface Measurement {
  readonly name: string
  readonly round: Effect.Effect<Measured>
}

export const compare = Command.make(
  "compare",
  { connections, seconds, rounds, only, main },
  Effect.fn(function* ({ connections, main, only, rounds, seconds }) {
    yield* Console.error("starting the service on the small demo, and its peers …")
    const ours = yield* startComparedService("rapport")
    const others = main === "" ? [] : [yield* startComparedService("other rapport", main)]
    const fastify = yield* fastifyPeer(ours)
    const comparison = { ours, others, fastify, shared: { connections, seconds } }
    const chosenEntries = <A>(all: Readonly<Record<string, A>>) =>
      Object.entries(all).filter(([name]) => new RegExp(only, "u").test(name))
    const compared: Array<ReadonlyArray<string>> = []
    for (const [name, read] of chosenEntries(reads))
      compared.push(...(yield* alternately(name, yield* readMeasurements(comparison, read), rounds)))
    // Connections of the peer's pool are closed first: with them the database has too few for pgbench.
    yield* Effect.sleep(PEER_IDLE_MILLIS)
    for (const [name, write] of chosenEntries(writes))
      compared.push(...(yield* alternately(name, yield* writeMeasurements(comparison, write), rounds)))
    yield* Console.log(`${connections} connections, ${rounds} rounds of ${seconds} s: min / median / max`)
    yield* Console.log(table(["what", "program", ...figureNames, "ours: req/s", "ours: CPU"], compared))
  }, Effect.scoped)
).pipe(Command.withDescription("Reads compared with Fastify + pg, writes with pgbench"))

/** The hand-written server, on the tables of the service. */
const fastifyPeer = (ours: Peer) =>
  Effect.map(
    startProgram([program("packages/bench/src/peers/fastifyServer.ts")], {
      ...ours.database.environment,
      PEER_KEY: COMPARED_KEY
    }),
    (started): Peer => ({ ...ours, ...started, name: "Fastify + pg" })
  )

/** Enough requests for V8 to have compiled what is measured. */
const warm = { seconds: 10, requestsMax: 10_000 }

const measurementOf = Effect.fnUntraced(function* (peer: Peer, plan: Load) {
  const { failures, statuses } = yield* load({ ...plan, ...warm })
  // Refusals are cheap: their figures would look like those of a fast program.
  if (failures > 0) throw new Error(`${peer.name} refuses requests: ${JSON.stringify(statuses)}`)
  return { name: peer.name, round: measure(peer, plan) }
})

const readMeasurements = Effect.fnUntraced(function* (comparison: Comparison, read: ComparedRead) {
  const { fastify, others, ours, shared } = comparison
  const peers = read.hasPeer ? [fastify] : []
  yield* Effect.promise(() => requireEqualAnswers([ours, ...peers], read))
  return yield* Effect.forEach([ours, ...others, ...peers], (peer) => {
    let count = 0
    const request = () => read.request(peer.origin, peer.token, count++)
    return measurementOf(peer, { ...shared, request })
  })
})

const writeMeasurements = Effect.fnUntraced(function* (comparison: Comparison, write: ComparedWrite) {
  const { others, ours, shared } = comparison
  const measurements: ReadonlyArray<Measurement> = yield* Effect.forEach([ours, ...others], (peer) =>
    Effect.flatMap(
      Effect.promise(() => write.prepare(peer.origin, peer.token)),
      (request) => measurementOf(peer, { ...shared, request })
    )
  )
  const { script } = write
  if (script === undefined) return measurements
  if (pgbenchIsMissing) yield* Console.error("pgbench is not installed")
  const floor = { name: "pgbench", round: pgbench(ours.database, script, shared) }
  return pgbenchIsMissing ? measurements : [...measurements, floor]
})

const requireEqualAnswers = async (peers: ReadonlyArray<Peer>, read: ComparedRead): Promise<void> => {
  const found: Array<unknown> = []
  for (const { origin, token } of peers) {
    const { url, ...request } = read.request(origin, token, 0)
    found.push(read.essential(await (await fetch(url, request)).json()))
  }
  if (found.some((one) => !isDeepStrictEqual(one, found[0])))
    throw new Error(`the peers answer differently:\n${found.map((one) => JSON.stringify(one)).join("\n")}`)
}

/**
 * Measures every program once a round, so that changes of the machine's speed affect all of them. Returns a row for each program.
 * Its last columns are our figures divided by those of the program, round by round.
 */
const alternately = Effect.fnUntraced(function* (
  name: string,
  measurements: ReadonlyArray<Measurement>,
  count: number
) {
  const rounds: Array<ReadonlyArray<Measured>> = []
  for (let round = 0; round < count; round++)
    rounds.push(yield* Effect.forEach(measurements, (one) => one.round))
  return measurements.map((program, at) => {
    const own = rounds.flatMap((round) => round[at] ?? [])
    const ratio = (figure: (one: Measured) => number) =>
      spread(
        rounds.flatMap(([ours], round) => {
          const other = own[round]
          return ours === undefined || other === undefined || figure(other) === 0
            ? []
            : [figure(ours) / figure(other)]
        }),
        2
      )
    const ratios = [ratio((one) => one.perSecond), ratio((one) => one.micros.process + one.micros.database)]
    return [at === 0 ? name : "", program.name, ...figuresOf(...own), ...(at === 0 ? ["", ""] : ratios)]
  })
})
