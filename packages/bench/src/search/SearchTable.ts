// The table of a search benchmark: latencies, and what one answer takes of each processor.
import type { Outcome } from "../Load.ts"

/** Processor time of one answer: of the main thread, of the threads of the index, of the whole process, of PostgreSQL. */
export interface Measured extends Outcome {
  readonly mainMillis: number
  readonly indexMillis: number
  readonly allMillis: number
  readonly databaseMillis: number
  readonly residentMiB: number
}

const columns: ReadonlyArray<readonly [name: string, figure: (one: Measured) => number]> = [
  ["req/s", (one) => one.perSecond],
  ["p50 ms", (one) => one.p50Millis],
  ["p95 ms", (one) => one.p95Millis],
  ["p99 ms", (one) => one.p99Millis],
  ["failed", (one) => one.failures],
  ["main", (one) => one.mainMillis],
  ["index", (one) => one.indexMillis],
  ["process", (one) => one.allMillis],
  ["database", (one) => one.databaseMillis],
  ["MiB", (one) => one.residentMiB]
]
const NAME_WIDTH = 32
const WIDTH = 9

export const header = `${"evidence by query, CPU in ms".padEnd(NAME_WIDTH)}${columns.map(([name]) => name.padStart(WIDTH)).join("")}`

export const line = (name: string, one: Measured): string =>
  name.padEnd(NAME_WIDTH) + columns.map(([, figure]) => figure(one).toFixed(1).padStart(WIDTH)).join("")

/** The first divided by the other, where there is one. */
export const ratioLine = ([one, other]: ReadonlyArray<Measured>): ReadonlyArray<string> =>
  one === undefined || other === undefined
    ? []
    : [
        "  times".padEnd(NAME_WIDTH) +
          columns
            .map(([, figure]) => (figure(other) === 0 ? "-" : (figure(one) / figure(other)).toFixed(2)))
            .map((cell) => cell.padStart(WIDTH))
            .join("")
      ]
