// What was measured of an overload beside what must hold (docs/operations.md, "Overload").
import { Console, Effect } from "effect"
import type { Sent } from "./Plan.ts"

/** What must hold. */
const GOODPUT_SHARE_MIN = 0.9
const REFUSED_MILLIS_MAX = 50
const RESIDENT_MIB_MAX = 512
const NEIGHBOUR_RATIO_MAX = 2
const RECOVERED_RATIO_MAX = 2
/** What sends takes only what is left: in a round that sent less nothing is seen. */
const SENT_MIN = 2.7

export interface Round {
  /** The neighbour by themselves, and so beside a program that takes what the senders take. */
  readonly alone: Sent
  readonly aloneBeside: Sent
  /** Right before the overload, right after it, and once more after the crowd was alone. */
  readonly mosts: readonly [Sent, Sent, Sent]
  readonly overload: Sent
  readonly beside: Sent
  readonly observed: Sent
  readonly bare: Sent
  /** The same overload beside nobody. */
  readonly crowdAlone: Sent
  readonly peakMiB: number
  /** How much of a processor the main thread got in the overload, and where the most was served. */
  readonly mainShare: number
  readonly mostMainShare: number
  /** Processors that other programs took in the overload or while the most was measured before or after it. */
  readonly strangers: number
}

export interface Measured {
  readonly rounds: ReadonlyArray<Round>
  /** The neighbour after all. */
  readonly after: Sent
  /** Connections that hang and were not closed, of how many. */
  readonly hanging: number
  readonly hangingOf: number
}

interface Line {
  readonly name: string
  readonly value: number
  /** Least and most of the rounds. */
  readonly spread: readonly [number, number]
  readonly bound: string
  readonly holds: boolean
}

const rounded = (value: number): string => value.toFixed(2)

/** The middle one: one round that something else disturbed decides nothing. */
const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = 0, high = low] = sorted.slice((sorted.length - 1) / 2, sorted.length / 2 + 1)
  return (low + high) / 2
}

const always = { bound: "", holds: () => true }
const atLeast = (least: number) => ({ bound: `≥ ${least}`, holds: (value: number) => value >= least })
const atMost = (most: number) => ({ bound: `≤ ${most}`, holds: (value: number) => value <= most })
const below = (limit: number) => ({ bound: `< ${limit}`, holds: (value: number) => value < limit })
const none = { bound: "= 0", holds: (value: number) => value === 0 }

const line = (
  name: string,
  values: ReadonlyArray<number>,
  { bound, holds }: { readonly bound: string; readonly holds: (value: number) => boolean },
  value = median(values)
): Line => ({ name, value, spread: [Math.min(...values), Math.max(...values)], bound, holds: holds(value) })

const meanOf = (one: Sent, other: Sent): number => (one.goodPerSecond + other.goodPerSecond) / 2

/** What is measured, the bound, and whether it holds. */
export const judged = ({ after, hanging, hangingOf, rounds }: Measured): ReadonlyArray<Line> => {
  const each = (value: (round: Round) => number) => rounds.map(value)
  const peaks = each(({ peakMiB }) => peakMiB)
  const loads = rounds.flatMap(({ alone, aloneBeside, beside, crowdAlone, mosts, observed, overload }) => [
    alone,
    aloneBeside,
    beside,
    crowdAlone,
    observed,
    overload,
    ...mosts
  ])
  const failed = [after, ...loads].flatMap(({ statuses }) =>
    Object.entries(statuses).filter(([status]) => status !== "200" && status !== "429")
  )
  const others = rounds.reduce((sum, { beside }) => sum + (beside.statuses["429"] ?? 0), 0)
  const aloneMillis = median(each(({ alone }) => alone.good.p95))
  return [
    line(
      "sent, of the most served right before and after",
      each(({ mosts: [before, next], overload }) => overload.sentPerSecond / meanOf(before, next)),
      atLeast(SENT_MIN)
    ),
    line(
      "served, of the same",
      each(({ beside, mosts: [before, next], observed, overload }) => {
        // What the neighbour is served counts as well.
        const served = overload.goodPerSecond + beside.goodPerSecond + observed.goodPerSecond
        return served / meanOf(before, next)
      }),
      atLeast(GOODPUT_SHARE_MIN)
    ),
    line(
      "served where nobody is beside, of the same",
      each(({ crowdAlone, mosts: [, before, next] }) => crowdAlone.goodPerSecond / meanOf(before, next)),
      always
    ),
    line(
      "refused, p95 ms",
      each(({ observed }) => observed.refused.p95),
      atMost(REFUSED_MILLIS_MAX)
    ),
    line("resident MiB at most", peaks, atMost(RESIDENT_MIB_MAX), Math.max(...peaks)),
    line(
      "neighbour's p95, of alone",
      each(({ alone, beside }) => beside.good.p95 / alone.good.p95),
      below(NEIGHBOUR_RATIO_MAX)
    ),
    line(
      "neighbour's p95, of alone beside what the senders take",
      each(({ aloneBeside, beside }) => beside.good.p95 / aloneBeside.good.p95),
      always
    ),
    line(
      "p95 ms of a bare server meanwhile",
      each(({ bare }) => bare.good.p95),
      always
    ),
    line(
      "processors that other programs of the machine took",
      each(({ strangers }) => strangers),
      always
    ),
    line("neighbour's refusals", [others], none),
    line("neighbour's p95 afterwards, of alone", [after.good.p95 / aloneMillis], below(RECOVERED_RATIO_MAX)),
    line("answers other than 200 and 429", [failed.length], none),
    line(`silent connections and slow writers left, of ${hangingOf}`, [hanging], none)
  ]
}

export const showLine = ({ bound, holds, name, spread: [least, most], value }: Line) =>
  Console.log(
    [
      name.padEnd(56),
      rounded(value).padStart(8),
      least === most ? "".padEnd(20) : `  ${rounded(least)} to ${rounded(most)}`.padEnd(20),
      bound.padEnd(8),
      holds ? "" : "missed"
    ].join("")
  )

const show = (
  name: string,
  { good, goodPerSecond, processors, refused, sentPerSecond, statuses, unsent }: Sent
) =>
  Console.log(
    [
      `${name.padEnd(12)} sent ${sentPerSecond.toFixed(0)}/s, served ${goodPerSecond.toFixed(0)}/s`,
      `p50 ${good.p50.toFixed(1)} p95 ${good.p95.toFixed(1)} p99 ${good.p99.toFixed(1)} ms`,
      `refused ${refused.count}, p50 ${refused.p50.toFixed(1)} p95 ${refused.p95.toFixed(1)} p99 ${refused.p99.toFixed(1)} ms`,
      `unsent ${unsent}, ${rounded(processors)} processors`,
      JSON.stringify(statuses)
    ].join("; ")
  )

/** The loads of all rounds, in the order in which they ran. */
export const showLoads = Effect.fnUntraced(function* ({ after, rounds }: Measured) {
  for (const round of rounds) {
    const [before, between, afterwards] = round.mosts
    if (round === rounds[0]) yield* show("most", before)
    yield* show("alone", round.alone)
    yield* show("overload", round.overload)
    yield* show("observer", round.observed)
    yield* show("beside", round.beside)
    yield* show("bare", round.bare)
    yield* show("most", between)
    yield* show("crowd alone", round.crowdAlone)
    yield* show("alone so", round.aloneBeside)
    yield* show("most", afterwards)
    yield* Console.log(
      `main thread  ${rounded(round.mainShare)} of a processor in the overload, ${rounded(round.mostMainShare)} where the most was served`
    )
  }
  yield* show("afterwards", after)
})
