// Looks through the blocks of a model for the records that meet the conditions of a list: how many they are, as far as a list
// counts, and which of them are on its page (docs/contract.md §1.2).
import { LIST_TOTAL_MAX } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { type Block, idOf } from "./Block.ts"
import type { Condition, Selected } from "./Conditions.ts"
import type { FirstRows } from "./FirstRows.ts"

/** Work before other requests get their turn. */
const SLICE_MILLIS = 4

export interface Evaluating {
  readonly blocks: ReadonlyArray<Block>
  readonly condition: Condition
  readonly counted: boolean
  /** Undefined where the page is found otherwise. */
  readonly first: FirstRows | undefined
  /** Ids of all are given while they are no more than these. */
  readonly idsMax: number
}

interface Evaluated {
  /** To LIST_TOTAL_MAX + 1. */
  readonly number: number
  /** Undefined where they are more than were asked for, or not all were looked at. */
  readonly ids: ReadonlyArray<number> | undefined
}

const hasAny = (selected: Selected, { size }: Block): boolean => {
  const first = selected.indexOf(1)
  return first >= 0 && first < size
}

export const evaluated = Effect.fnUntraced(function* (evaluating: Evaluating) {
  const { blocks, condition, counted, first, idsMax } = evaluating
  const ids: Array<number> = []
  const most = counted ? LIST_TOTAL_MAX : idsMax
  let number = 0
  let since = performance.now()
  const selected: Selected = new Uint8Array(blocks.reduce((largest, { size }) => Math.max(largest, size), 0))
  for (const block of first?.inOrder(blocks) ?? blocks) {
    const isFull = number > most
    if (isFull && (first === undefined || first.isDone(block))) break
    selected.fill(1, 0, block.size)
    // Once counting is over, only what may be on the page is looked at.
    if (isFull) first?.narrow(block, selected)
    condition.narrow(block, selected)
    for (const _ of hasAny(selected, block) ? condition.steps(block, selected) : [undefined]) {
      if (performance.now() - since < SLICE_MILLIS) continue
      yield* Effect.yieldNow
      since = performance.now()
    }
    if (!hasAny(selected, block)) continue
    for (let i = 0; i < block.size && number <= most; i++) {
      if (selected[i] !== 1) continue
      number++
      if (ids.length <= idsMax) ids.push(idOf(block, i))
    }
    first?.offer(block, selected)
  }
  return {
    number: Math.min(number, LIST_TOTAL_MAX + 1),
    ids: number <= idsMax ? ids : undefined
  } satisfies Evaluated
})
