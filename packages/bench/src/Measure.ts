// A load on a started service with the processor time that one answer takes, and the columns that show it.
import { Effect } from "effect"
import { type Load, load } from "./Load.ts"
import { familyCpu, processCpu, residentMiB, threadsCpu } from "./ProcessCpu.ts"
import { spread } from "./Table.ts"

const INDEX_THREADS = /^index$/u

interface Measurable {
  readonly pid: number
  readonly database: { readonly pid: number }
}

const cpuOf = ({ database, pid }: Measurable) => ({
  ...processCpu(pid),
  index: threadsCpu(pid, INDEX_THREADS),
  database: familyCpu(database.pid)
})

export const measure = Effect.fnUntraced(function* (service: Measurable, plan: Load) {
  const before = cpuOf(service)
  const outcome = yield* load(plan)
  const after = cpuOf(service)
  const answers = Math.max(1, outcome.perSecond * outcome.seconds)
  const micros = (name: keyof typeof before) =>
    Math.max(0, ((after[name] - before[name]) * 1_000_000) / answers)
  return {
    perSecond: outcome.perSecond,
    failures: outcome.failures,
    answered: outcome.answered,
    /** Microseconds per answer: main thread, threads of the search index, whole process, PostgreSQL. */
    micros: {
      main: micros("main"),
      index: micros("index"),
      process: micros("process"),
      database: micros("database")
    },
    residentMiB: residentMiB(service.pid)
  }
})
export type Measured = Effect.Success<ReturnType<typeof measure>>

const columns: ReadonlyArray<readonly [name: string, digits: number, figure: (one: Measured) => number]> = [
  ["req/s", 0, (one) => one.perSecond],
  ["p50 ms", 1, (one) => one.answered.p50],
  ["p95 ms", 1, (one) => one.answered.p95],
  ["p99 ms", 1, (one) => one.answered.p99],
  ["main µs", 0, (one) => one.micros.main],
  ["index µs", 0, (one) => one.micros.index],
  ["process µs", 0, (one) => one.micros.process],
  ["PostgreSQL µs", 0, (one) => one.micros.database],
  ["MiB", 0, (one) => one.residentMiB],
  ["failed", 0, (one) => one.failures]
]
export const figureNames: ReadonlyArray<string> = columns.map(([name]) => name)

/** The figures of rounds as cells below `figureNames`. */
export const figuresOf = (...rounds: ReadonlyArray<Measured>): ReadonlyArray<string> =>
  columns.map(([, digits, figure]) => spread(rounds.map(figure), digits))
