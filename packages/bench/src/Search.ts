// `pnpm bench search`: reads with evidence by query among very many appeals, of every scope and in three languages: one after the
// other, from many connections at once, and by a timetable. The data are made once for each number of appeals and kept, the
// index with them.
import { Console, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { connections, count, seconds as secondsOf, text } from "./Flags.ts"
import { dataOf, dataRoot, type Searched, serviceOn } from "./search/SearchData.ts"
import {
  entityNames,
  type Kind,
  languages,
  largestPack,
  search as searched
} from "./search/SearchRequests.ts"
import { header, line, type Measured, ratioLine } from "./search/SearchTable.ts"
import type { HttpRequest } from "./KeptConnection.ts"
import { load } from "./Load.ts"
import { databaseOf } from "./peers/Postgres.ts"
import { familyCpu, processCpu, residentMiB, threadsCpu } from "./ProcessCpu.ts"

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
const beside = count(
  "beside",
  0,
  "Appeals of other data, measured in turn with the first: how latencies grow"
)
const folder = Flag.String("folder").pipe(
  Flag.withDescription("Where the data are made and kept, in a folder for each number of appeals"),
  Flag.withDefault(dataRoot)
)
const seconds = secondsOf(5)
const open = count("open", 50, "Requests a second of the loads by a timetable")
const only = text("only", "Measures what has this text in its name alone")

/** What is asked of the n-th request of a connection, and from how many, or how many a second. */
interface Measurement {
  readonly name: string
  readonly asked: (service: Searched, n: number) => HttpRequest
  readonly connections: number
  readonly perSecond?: number
}

const kinds: ReadonlyArray<Kind> = entityNames.flatMap((entity) =>
  languages.map((language) => ({ entity, language }))
)
const mixed =
  (some: ReadonlyArray<Kind>): Measurement["asked"] =>
  (service, n) =>
    searched(
      service,
      some[n % some.length] ?? { entity: "client", language: "uk" },
      Math.floor(n / some.length)
    )

const measurements = (connections: number, perSecond: number): ReadonlyArray<Measurement> => {
  const entities = entityNames.map((entity) => ({
    entity,
    asked: mixed(kinds.filter((one) => one.entity === entity))
  }))
  // A connection is always free when a request is due.
  const timetable = { connections: 16 * connections, perSecond }
  return [
    ...kinds.map((kind) => ({
      name: `${kind.entity}, ${kind.language}, one by one`,
      asked: mixed([kind]),
      connections: 1
    })),
    ...entities.map(({ asked, entity }) => ({
      name: `${entity}, ${connections} at once`,
      asked,
      connections
    })),
    ...entities.map(({ asked, entity }) => ({
      name: `${entity}, ${perSecond} a second`,
      asked,
      ...timetable
    })),
    { name: `all, ${perSecond} a second`, asked: mixed(kinds), ...timetable },
    { name: "largest pack, one by one", asked: largestPack, connections: 1 },
    { name: "largest pack, 4 at once", asked: largestPack, connections: 4 }
  ]
}

export const search = Command.make(
  "search",
  { appeals, beside, connections, folder, only, open, seconds },
  Effect.fn(function* ({ appeals, beside, connections, folder, only, open, seconds }) {
    const services: ReadonlyArray<Searched> = yield* Effect.forEach(
      beside === 0 ? [appeals] : [appeals, beside],
      (count) => Effect.flatMap(dataOf(folder, count), serviceOn)
    )
    // Warms the caches and the compiler.
    for (const service of services)
      yield* measure(service, { name: "", asked: mixed(kinds), connections: 4 }, seconds)
    yield* Console.log(header)
    for (const one of measurements(connections, open)) {
      if (!one.name.includes(only)) continue
      const found = yield* Effect.forEach(services, (service) => measure(service, one, seconds))
      yield* Console.log(
        found
          .map((measured, at) => line(at === 0 ? one.name : `  of ${beside} appeals`, measured))
          .concat(ratioLine(found))
          .join("\n")
      )
    }
  }, Effect.scoped)
).pipe(Command.withDescription("Evidence by query among 10,000 appeals to a million, of every scope"))

/** The threads of the index are called so. */
const INDEX_THREADS = /^index-/u

const spentOf = ({ folder, pid }: Searched) => ({
  ...processCpu(pid),
  index: threadsCpu(pid, INDEX_THREADS),
  database: familyCpu(databaseOf(folder).pid)
})

const measure = Effect.fnUntraced(function* (
  service: Searched,
  { asked, connections, perSecond }: Measurement,
  seconds: number
) {
  const before = spentOf(service)
  const outcome = yield* load({
    ...asked(service, 0),
    connections,
    seconds,
    // Connections begin at different places, far from each other.
    each: (connection, n) => asked(service, connection * 7 + n),
    ...(perSecond === undefined ? {} : { perSecond })
  })
  const after = spentOf(service)
  const answers = Math.max(1, outcome.perSecond * outcome.seconds)
  const millis = (name: keyof typeof before) => Math.max(0, (1_000 * (after[name] - before[name])) / answers)
  const measured: Measured = {
    ...outcome,
    mainMillis: millis("main"),
    indexMillis: millis("index"),
    allMillis: millis("all"),
    databaseMillis: millis("database"),
    residentMiB: residentMiB(service.pid)
  }
  return measured
})
