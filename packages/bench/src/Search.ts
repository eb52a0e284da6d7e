// `pnpm bench search`: reads with evidence by query among very many appeals, of every scope and in three languages: one by one,
// from many connections in parallel, and by a timetable. The data and their index are made once for each number of appeals.
import { Console, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { connections, count, seconds as secondsOf, text } from "./Flags.ts"
import type { HttpRequest } from "./KeptConnection.ts"
import { measure, type Measured } from "./Measure.ts"
import { dataOf, dataRoot, type Searched, serviceOn } from "./search/SearchData.ts"
import { type Entity, entityNames, largestPack, search as searchOf } from "./search/SearchRequests.ts"
import { table } from "./Table.ts"

const Appeals = Schema.Int.check(
  Schema.makeFilter<number>(
    (count) => (count >= 10_000 && count <= 100_000) || (count <= 1_000_000 && count % 100_000 === 0),
    { message: "must be 10,000 to 100,000, or up to 1,000,000 by 100,000" }
  )
)
const appeals = Flag.Int("appeals").pipe(
  Flag.withDescription("Appeals of the data: 10,000 to 100,000, or up to 1,000,000 by 100,000"),
  Flag.withSchema(Appeals),
  Flag.withDefault(100_000)
)
const folder = Flag.String("folder").pipe(
  Flag.withDescription("Where the data are made and kept, in a folder for each number of appeals"),
  Flag.withDefault(dataRoot)
)
const seconds = secondsOf(5)
const open = count("open", 50, "Requests per second of the loads by a timetable")
const only = text("only", "Only measurements whose name contains this text")

/** Requests in order, over a number of connections, or a number of them per second. */
interface Measurement {
  readonly name: string
  readonly request: (service: Searched, n: number) => HttpRequest
  readonly connections: number
  readonly perSecond?: number
}

const mixed =
  (entities: ReadonlyArray<Entity>): Measurement["request"] =>
  (service, n) =>
    searchOf(service, entities[n % entities.length] ?? "client", Math.floor(n / entities.length))

const measurements = (connections: number, perSecond: number): ReadonlyArray<Measurement> => [
  ...entityNames.map((entity) => ({
    name: `${entity}, one by one`,
    request: mixed([entity]),
    connections: 1
  })),
  { name: `all, ${connections} in parallel`, request: mixed(entityNames), connections },
  // A connection is always free when a request is due.
  {
    name: `all, ${perSecond} a second`,
    request: mixed(entityNames),
    connections: 16 * connections,
    perSecond
  },
  { name: "largest pack, one by one", request: largestPack, connections: 1 }
]

export const search = Command.make(
  "search",
  { appeals, connections, folder, only, open, seconds },
  Effect.fn(function* ({ appeals, connections, folder, only, open, seconds }) {
    const service = yield* Effect.flatMap(dataOf(folder, appeals), serviceOn)
    const run = ({ connections, perSecond, request }: Measurement) =>
      measure(service, {
        ...request(service, 0),
        connections,
        seconds,
        // Connections begin at different places, far from each other.
        each: (connection, n) => request(service, connection * 7 + n),
        ...(perSecond === undefined ? {} : { perSecond })
      })
    // Warms the caches and the compiler.
    yield* run({ name: "", request: mixed(entityNames), connections: 4 })
    const rows: Array<ReadonlyArray<string>> = []
    for (const one of measurements(connections, open).filter(({ name }) => name.includes(only))) {
      yield* Console.error(`${one.name} …`)
      const measured = yield* run(one)
      rows.push([one.name, ...columns.map(([, figure]) => figure(measured).toFixed(1))])
    }
    yield* Console.log(table(["evidence by query, CPU in ms", ...columns.map(([name]) => name)], rows))
  }, Effect.scoped)
).pipe(Command.withDescription("Evidence by query among 10,000 appeals to a million, of every scope"))

const columns: ReadonlyArray<readonly [name: string, figure: (one: Measured) => number]> = [
  ["req/s", (one) => one.perSecond],
  ["p50 ms", (one) => one.answered.p50],
  ["p95 ms", (one) => one.answered.p95],
  ["p99 ms", (one) => one.answered.p99],
  ["failed", (one) => one.failures],
  ["main", (one) => one.micros.main / 1_000],
  ["index", (one) => one.micros.index / 1_000],
  ["process", (one) => one.micros.process / 1_000],
  ["database", (one) => one.micros.database / 1_000],
  ["MiB", (one) => one.residentMiB]
]
