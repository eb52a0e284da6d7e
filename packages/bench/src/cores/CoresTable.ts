// The table of `pnpm bench cores`: what each layout served and took, and what it is of the first.

/** CPU in microseconds a request. */
export interface CoresRound {
  readonly perSecond: number
  /** Of the process that was started, which is a worker's parent where there are any. */
  readonly mainMicros: number
  readonly workersMicros: number
  readonly databaseMicros: number
  /** Of the load. */
  readonly loadMicros: number
  readonly p50Millis: number
  readonly p95Millis: number
  readonly failures: number
}

export interface Laid {
  readonly name: string
  /** That the service has. */
  readonly cores: number
  readonly rounds: ReadonlyArray<CoresRound>
}

type Figure = (round: CoresRound, cores: number) => number

/** Of the service with its database. */
const cpuMicros: Figure = ({ databaseMicros, mainMicros, workersMicros }) =>
  mainMicros + workersMicros + databaseMicros

/** How many of its cores the service takes, with the load where that runs on them. */
const busy: Figure = (round, cores) =>
  (round.perSecond * (cpuMicros(round, cores) + (cores > 1 ? round.loadMicros : 0))) / 1_000_000

/** Had the service its cores for itself: what the load took of them went to it. */
const alone: Figure = (round, cores) =>
  cores > 1
    ? (round.perSecond * cores) / (cores - (round.perSecond * round.loadMicros) / 1_000_000)
    : round.perSecond

/** What its cores could serve by the CPU of a request, were none of them ever idle. */
const byCpu: Figure = (round, cores) => (cores * 1_000_000) / cpuMicros(round, cores)

const figures: ReadonlyArray<readonly [name: string, figure: Figure, digits: number]> = [
  ["req/s", ({ perSecond }) => perSecond, 0],
  ["main µs", ({ mainMicros }) => mainMicros, 0],
  ["workers µs", ({ workersMicros }) => workersMicros, 0],
  ["PostgreSQL µs", ({ databaseMicros }) => databaseMicros, 0],
  ["all µs", cpuMicros, 0],
  ["load µs", ({ loadMicros }) => loadMicros, 0],
  ["busy cores", busy, 2],
  ["p50 ms", ({ p50Millis }) => p50Millis, 1],
  ["p95 ms", ({ p95Millis }) => p95Millis, 1]
]
/** Each of the first layout in the same round. */
const ratios: ReadonlyArray<readonly [name: string, figure: Figure]> = [
  ["req/s of the first", ({ perSecond }) => perSecond],
  ["without the load", alone],
  ["by CPU", byCpu]
]

const spread = (numbers: ReadonlyArray<number>, digits: number): string => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
    .map((one = 0) => one.toFixed(digits))
    .join(" / ")
}
const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

export const coresTable = (what: string, layouts: ReadonlyArray<Laid>): string => {
  const [first] = layouts
  const heads = [what, ...figures.map(([name]) => name), "failed", ...ratios.map(([name]) => name)]
  return [
    row(heads),
    `|---|${"---:|".repeat(heads.length - 1)}`,
    ...layouts.map(({ cores, name, rounds }) =>
      row([
        name,
        ...figures.map(([, figure, digits]) =>
          spread(
            rounds.map((round) => figure(round, cores)),
            digits
          )
        ),
        String(rounds.reduce((sum, { failures }) => sum + failures, 0)),
        ...ratios.map(([, figure]) =>
          spread(
            rounds.flatMap((round, at) => {
              const other = first?.rounds[at]
              return other === undefined ? [] : [figure(round, cores) / figure(other, first?.cores ?? 1)]
            }),
            2
          )
        )
      ])
    )
  ].join("\n")
}
