// The table of a comparison: every figure as minimum / median / maximum, and what ours is of each peer.
import type { Outcome } from "../Load.ts"

/** CPU in microseconds a request: of the main thread, of its process, of PostgreSQL, of what asks. */
export interface Round extends Outcome {
  readonly mainMicros: number
  readonly processMicros: number
  readonly databaseMicros: number
  readonly residentMiB: number
}
export interface Compared {
  readonly name: string
  /** Ours first. */
  readonly peers: ReadonlyArray<{ readonly name: string; readonly rounds: ReadonlyArray<Round> }>
}

type Figure = (round: Round) => number

const sorted = (rounds: ReadonlyArray<Round>, figure: Figure): ReadonlyArray<number> =>
  rounds.map(figure).toSorted((a, b) => a - b)
const medianOf = (numbers: ReadonlyArray<number>): number => numbers[Math.floor(numbers.length / 2)] ?? 0
const spread = (numbers: ReadonlyArray<number>, digits: number): string =>
  [numbers[0] ?? 0, medianOf(numbers), numbers.at(-1) ?? 0].map((one) => one.toFixed(digits)).join(" / ")

const figures: ReadonlyArray<readonly [name: string, figure: Figure, digits: number]> = [
  ["req/s", (round) => round.perSecond, 0],
  ["main µs", (round) => round.mainMicros, 0],
  ["process µs", (round) => round.processMicros, 0],
  ["PostgreSQL µs", (round) => round.databaseMicros, 0],
  ["p50 ms", (round) => round.p50Millis, 1],
  ["p95 ms", (round) => round.p95Millis, 1],
  ["p99 ms", (round) => round.p99Millis, 1],
  ["MiB", (round) => round.residentMiB, 0]
]

const wholeCpu: Figure = (round) => round.processMicros + round.databaseMicros

/** Of the pairs of one round each, ours divided by the peer's. */
const ratios = (ours: ReadonlyArray<Round>, peer: ReadonlyArray<Round>, figure: Figure) =>
  ours
    .flatMap((round, at) => {
      const other = peer[at]
      return other === undefined || figure(other) === 0 ? [] : [figure(round) / figure(other)]
    })
    .toSorted((a, b) => a - b)

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`
const heads = ["what", "who", ...figures.map(([name]) => name), "failed", "ours: req/s", "ours: CPU"]
export const header = `${row(heads)}\n|---|---|${heads
  .slice(2)
  .map(() => "---:|")
  .join("")}`

export const line = ({ name, peers }: Compared): ReadonlyArray<string> =>
  peers.map((peer, at) => {
    const ours = peers[0]?.rounds ?? []
    const failed = peer.rounds.reduce((sum, { failures }) => sum + failures, 0)
    return row([
      at === 0 ? name : "",
      peer.name,
      ...figures.map(([, figure, digits]) => spread(sorted(peer.rounds, figure), digits)),
      failed.toFixed(0),
      at === 0
        ? ""
        : spread(
            ratios(ours, peer.rounds, (round) => round.perSecond),
            2
          ),
      at === 0 ? "" : spread(ratios(ours, peer.rounds, wholeCpu), 2)
    ])
  })
