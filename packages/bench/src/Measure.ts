// A load on a started service, with the processor time that one answer takes.
import { Effect } from "effect"
import { type Load, load, type Outcome } from "./Load.ts"
import { familyCpu, processCpu, residentMiB, threadsCpu } from "./ProcessCpu.ts"

export interface Measured extends Outcome {
  /** Microseconds per answer: main thread, threads of the search index, whole process, PostgreSQL. */
  readonly micros: Readonly<Record<"main" | "index" | "process" | "database", number>>
  readonly residentMiB: number
}

const INDEX_THREADS = /^index-/u

interface Service {
  readonly pid: number
  readonly database: { readonly pid: number }
}

const cpuOf = ({ database, pid }: Service) => ({
  ...processCpu(pid),
  index: threadsCpu(pid, INDEX_THREADS),
  database: familyCpu(database.pid)
})

export const measure = Effect.fnUntraced(function* (service: Service, plan: Load) {
  const before = cpuOf(service)
  const outcome = yield* load(plan)
  const after = cpuOf(service)
  const answers = Math.max(1, outcome.perSecond * outcome.seconds)
  const micros = (name: keyof typeof before) =>
    Math.max(0, ((after[name] - before[name]) * 1_000_000) / answers)
  const measured: Measured = {
    ...outcome,
    micros: {
      main: micros("main"),
      index: micros("index"),
      process: micros("process"),
      database: micros("database")
    },
    residentMiB: residentMiB(service.pid)
  }
  return measured
})
