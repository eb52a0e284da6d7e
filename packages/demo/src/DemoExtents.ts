// How much of everything the demo data holds, per size and instance.
import { fixedIds } from "./Company.ts"
import { fixedAppeals } from "./FixedAppeals.ts"

export type DemoSize = "demo" | "small"

/** How much of everything there is, per size and instance. */
export interface Extent {
  readonly clientIds: ReadonlyArray<number>
  readonly appeals: number
  readonly firstAppealId: number
  /** The exponent by which appeals concentrate in recent days, so that a small demo has open ones too. */
  readonly growth: number
  /** [days back, share of open appeals among those that young], youngest first. */
  readonly open: ReadonlyArray<readonly [number, number]>
}

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)

const foreign = fixedIds.foreignClient
const opening = {
  demo: [
    [1, 0.75],
    [2, 0.5],
    [4, 0.3],
    [10, 0.15],
    [30, 0.04]
  ],
  small: [
    [3, 0.7],
    [8, 0.5],
    [20, 0.25],
    [60, 0.08]
  ]
} as const

export const extents: Readonly<Record<DemoSize, Readonly<Record<number, Extent>>>> = {
  demo: {
    1: {
      clientIds: range(1, 2001).filter((id) => id !== foreign),
      appeals: 20_000 - fixedAppeals.length,
      firstAppealId: 1,
      growth: 0.35,
      open: opening.demo
    },
    2: {
      clientIds: [foreign, ...range(2002, 2037)],
      appeals: 90,
      firstAppealId: 20_001,
      growth: 0.6,
      open: opening.small
    }
  },
  small: {
    1: {
      clientIds: [...range(1, 20), fixedIds.client, fixedIds.longChatsClient],
      appeals: 200,
      firstAppealId: 1,
      growth: 6,
      open: opening.small
    },
    2: {
      clientIds: [foreign, ...range(2002, 2009)],
      appeals: 24,
      firstAppealId: 20_001,
      growth: 2,
      open: opening.small
    }
  }
}

/** An extent whose first instance has this many appeals, for measurements above the size of a demo. */
export const withAppeals = (extent: Extent, instance: number, appeals: number): Extent =>
  instance === fixedIds.instance
    ? { ...extent, appeals: appeals - fixedAppeals.length }
    : { ...extent, firstAppealId: Math.max(extent.firstAppealId, appeals + 1) }
