// `pnpm bench search`: reads with evidence by query among very many appeals, of every scope and in three languages: one by one,
// from many connections in parallel, and by a timetable. The data and their index are made once for each number of appeals.
import { Console, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { connections, count, seconds as secondsOf, text } from "./Flags.ts"
import { type Load, load } from "./Load.ts"
import { figureNames, figuresOf, measure } from "./Measure.ts"
import { dataRoot } from "./Repository.ts"
import type { HttpRequest } from "./Requests.ts"
import { dataOf, type SearchedService, startSearchedService } from "./search/SearchData.ts"
import { type Entity, entityNames, largestPack, searchOf } from "./search/SearchRequests.ts"
import { table } from "./Table.ts"

const appeals = Flag.Int("appeals").pipe(
  Flag.withDescription("Appeals of the data: 10,000 to 1,000,000"),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 10_000, maximum: 1_000_000 }))),
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
  readonly request: (service: SearchedService, n: number) => HttpRequest
  readonly connections: number
  readonly perSecond?: number
}

const mixedRequests =
  (entities: ReadonlyArray<Entity>): Measurement["request"] =>
  (service, n) =>
    searchOf(service, entities[n % entities.length] ?? "client", Math.floor(n / entities.length))

const measurements = (connections: number, perSecond: number): ReadonlyArray<Measurement> => {
  const all = mixedRequests(entityNames)
  return [
    ...entityNames.map((entity) => ({
      name: `${entity}, one by one`,
      request: mixedRequests([entity]),
      connections: 1
    })),
    { name: `all, ${connections} in parallel`, request: all, connections },
    // A connection is always free when a request is due.
    { name: `all, ${perSecond} a second`, request: all, connections: 16 * connections, perSecond },
    { name: "largest pack, one by one", request: largestPack, connections: 1 }
  ]
}

export const search = Command.make(
  "search",
  { appeals, connections, folder, only, open, seconds },
  Effect.fn(function* ({ appeals, connections, folder, only, open, seconds }) {
    const service = yield* Effect.flatMap(dataOf(folder, appeals), startSearchedService)
    // Connections begin at different places, far from each other.
    const planOf = ({ connections, perSecond, request }: Omit<Measurement, "name">): Load => ({
      request: (connection, n) => request(service, connection * 7 + n),
      connections,
      seconds,
      perSecond
    })
    // Warms the caches and the compiler.
    yield* load(planOf({ request: mixedRequests(entityNames), connections: 4 }))
    const rows: Array<ReadonlyArray<string>> = []
    for (const one of measurements(connections, open).filter(({ name }) => name.includes(only))) {
      yield* Console.error(`${one.name} …`)
      rows.push([one.name, ...figuresOf(yield* measure(service, planOf(one)))])
    }
    yield* Console.log(table(["evidence by query", ...figureNames], rows))
  }, Effect.scoped)
).pipe(Command.withDescription("Evidence by query among 10,000 appeals to a million, of every scope"))
