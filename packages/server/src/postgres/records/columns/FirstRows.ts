// The first records of an order, chosen while blocks are looked through one after another (docs/contract.md §1.2).
import type { ListRequest } from "@rapport/core/lists/ListRequest.ts"
import { numberOf } from "../IndexedConditions.ts"
import { type Block, isNumbers } from "./Block.ts"
import { columnOf, type Judging, type Selected } from "./Conditions.ts"

interface Key {
  readonly place: number
  readonly sign: 1 | -1
}
/** A record's values of the order's columns, the id last; NaN stands for none. */
type Place = ReadonlyArray<number>

/** An order by numbers alone, and the record that a page begins behind. */
export interface Order {
  readonly keys: ReadonlyArray<Key>
  readonly after: Place | undefined
}

/** Undefined where a text is ordered by: the database alone knows how. */
export const orderOf = (
  judging: Omit<Judging, "texts">,
  { after, orders }: Pick<ListRequest, "after" | "orders">
): Order | undefined => {
  const columns = orders.map(({ direction, field }) => {
    const column = columnOf(judging, field)
    if (column === undefined || judging.layout[column.place]?.as !== "number") return undefined
    return { ...column, sign: direction === "asc" ? (1 as const) : (-1 as const) }
  })
  const keys = columns.filter((column) => column !== undefined)
  if (keys.length < columns.length || orders.at(-1)?.field !== "id") return undefined
  const begun = after?.map((value, i) => {
    const field = keys[i]?.field
    if (value === null) return Number.NaN
    return field === undefined ? Number(value) : numberOf(field, value)
  })
  return { keys, after: begun }
}

/** What has no value comes last in both directions. */
const compared = (one: number, other: number, sign: number): number => {
  if (one === other) return 0
  if (Number.isNaN(one)) return Number.isNaN(other) ? 0 : 1
  if (Number.isNaN(other)) return -1
  return one < other ? -sign : sign
}

const comparedBy = ({ keys }: Order, one: Place, other: Place): number => {
  for (const [i, { sign }] of keys.entries()) {
    const result = compared(one[i] ?? Number.NaN, other[i] ?? Number.NaN, sign)
    if (result !== 0) return result
  }
  return 0
}

/** No record of the block comes before this place: the best value of each column of the order. */
const bestOf = ({ keys }: Order, { columns }: Block): Place =>
  keys.map(({ place, sign }) => {
    const column = columns[place]
    if (!isNumbers(column) || column.least > column.most) return Number.NaN
    return sign === 1 ? column.least : column.most
  })

/** No record of the block comes behind this place. */
const worstOf = ({ keys }: Order, { columns }: Block): Place =>
  keys.map(({ place, sign }) => {
    const column = columns[place]
    if (!isNumbers(column) || column.values.includes(Number.NaN)) return Number.NaN
    return sign === 1 ? column.most : column.least
  })

const inOrder = (order: Order, blocks: ReadonlyArray<Block>) =>
  blocks
    .map((block) => ({ block, best: bestOf(order, block) }))
    .toSorted((one, other) => comparedBy(order, one.best, other.best))

/** The blocks without those whose records all come before the others', and no later than an offset; how many records these are. */
export const behind = (order: Order, blocks: ReadonlyArray<Block>, offset: number) => {
  const ordered = inOrder(order, blocks)
  let [skipped, rest, passed] = [0, 0, 0]
  let worst: Place | undefined
  for (const [i, { block }] of ordered.entries()) {
    passed += block.size
    if (passed > offset) break
    const own = worstOf(order, block)
    if (worst === undefined || comparedBy(order, own, worst) > 0) worst = own
    const next = ordered[i + 1]
    if (next === undefined || comparedBy(order, worst, next.best) < 0) [skipped, rest] = [passed, i + 1]
  }
  return { skipped, blocks: ordered.slice(rest).map(({ block }) => block) }
}

/** Ids of the first `wanted` records of those that are offered. */
export class FirstRows {
  readonly #order: Order
  readonly #wanted: number
  #rows: Array<Place> = []
  #last: Place | undefined

  constructor(order: Order, wanted: number) {
    this.#order = order
    this.#wanted = wanted
  }

  /** The same of the i-th record of columns: nothing is made for the many that come later than what was found. */
  #comparedAt(columns: ReadonlyArray<Float64Array>, i: number, other: Place): number {
    const { keys } = this.#order
    for (let place = 0; place < columns.length; place++) {
      const value = columns[place]?.[i] ?? Number.NaN
      const result = compared(value, other[place] ?? Number.NaN, keys[place]?.sign ?? 1)
      if (result !== 0) return result
    }
    return 0
  }

  /** Whether the i-th record of columns may be among the first. */
  #mayBe(columns: ReadonlyArray<Float64Array>, i: number): boolean {
    const { after } = this.#order
    if (after !== undefined && this.#comparedAt(columns, i, after) <= 0) return false
    return this.#last === undefined || this.#comparedAt(columns, i, this.#last) <= 0
  }

  #numbersOf({ columns, size }: Block): ReadonlyArray<Float64Array> {
    return this.#order.keys.map(({ place }) => {
      const column = columns[place]
      return isNumbers(column) ? column.values : new Float64Array(size)
    })
  }

  inOrder(blocks: ReadonlyArray<Block>): ReadonlyArray<Block> {
    return inOrder(this.#order, blocks).map(({ block }) => block)
  }

  /** Whether no record of a block, nor of one behind it in this order, comes before what was found. */
  isDone(block: Block): boolean {
    return this.#last !== undefined && comparedBy(this.#order, bestOf(this.#order, block), this.#last) > 0
  }

  /** Takes those out of the selected that cannot be among the first. */
  narrow(block: Block, selected: Selected): void {
    const numbers = this.#numbersOf(block)
    for (let i = 0; i < block.size; i++) if (!this.#mayBe(numbers, i)) selected[i] = 0
  }

  offer(block: Block, selected: Selected): void {
    const numbers = this.#numbersOf(block)
    for (let i = 0; i < block.size; i++) {
      if (selected[i] !== 1 || !this.#mayBe(numbers, i)) continue
      this.#rows.push(numbers.map((values) => values[i] ?? Number.NaN))
      if (this.#rows.length >= this.#wanted * 2) this.#cut()
    }
  }

  #cut(): void {
    this.#rows = this.#rows
      .toSorted((one, other) => comparedBy(this.#order, one, other))
      .slice(0, this.#wanted)
    if (this.#rows.length === this.#wanted) this.#last = this.#rows.at(-1)
  }

  ids(): ReadonlyArray<number> {
    this.#cut()
    return this.#rows.map((row) => row.at(-1) ?? 0)
  }
}
