// Conditions on records, judged in their columns (docs/contract.md §1.2, §9.2): what the conditions of SQL let pass and nothing
// else. What columns do not tell is undefined, and left to SQL.
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import type { StoredField, Where } from "@rapport/core/records/RecordStore.ts"
import { isText, numberOf } from "../IndexedConditions.ts"
import { type Block, isNumbers, isTexts, type Layout, SEPARATOR, type Texts, textAt } from "./Block.ts"

/** Which records of a block are still in question: one where they are. */
export type Selected = Uint8Array
/** Takes those out of the selected that do not pass. */
type Leaf = (block: Block, selected: Selected) => void
/** The same in steps, after each of which others may get their turn. */
export type Condition = (block: Block, selected: Selected) => Iterable<void>

/** A text of a request as the database knows it: in small letters, and its hash. */
export interface AskedText {
  readonly low: string
  readonly same: number
}

/** Of a model, and the texts of its request. */
export interface Judging {
  readonly fields: ReadonlyArray<StoredField>
  readonly layout: Layout
  readonly texts: ReadonlyMap<string, AskedText>
}

/** Up to this share of a block its texts are looked through one by one, above it all at once. */
const ONE_BY_ONE_SHARE = 0.125

/** The column of a field or of a member that every record has. */
export const columnOf = ({ fields, layout }: Omit<Judging, "texts">, name: string) => {
  const field = fields.find((one) => one.name === name)
  const place = layout.findIndex(({ as, key }) => key === (field?.id ?? name) && as !== "same")
  const same = layout.findIndex(({ as, key }) => key === field?.id && as === "same")
  return place < 0 ? undefined : { place, field, same }
}

/** Undefined where a part of it is not told by columns. */
export const conditionOf = (judging: Judging, where: Where): Condition | undefined => {
  if ("and" in where) {
    // What costs least first: it leaves less to be looked through.
    const members = where.and.map((member) => ({ member, cost: costOf(member) }))
    return all(
      members
        .toSorted((one, other) => one.cost - other.cost)
        .map(({ member }) => conditionOf(judging, member))
    )
  }
  if ("or" in where) return either(where.or.map((member) => conditionOf(judging, member)))
  const leaf = leafOf(judging, where)
  return leaf && steps(leaf)
}

const steps = (leaf: Leaf): Condition =>
  function* (block, selected) {
    leaf(block, selected)
    yield
  }

/** Numbers cost nothing beside texts, and of texts the longer ones are found faster and are rarer. */
const costOf = (where: Where): number => {
  if ("and" in where || "or" in where)
    return Math.max(0, ...("and" in where ? where.and : where.or).map(costOf))
  const isInText = where.operator === "contains" || where.operator === "startsWith"
  return isInText ? 1 / (1 + String(where.value).length) : 0
}

const all = (members: ReadonlyArray<Condition | undefined>): Condition | undefined => {
  const known = members.filter((member) => member !== undefined)
  if (known.length < members.length) return undefined
  return function* (block, selected) {
    for (const member of known) yield* member(block, selected)
    yield
  }
}

const either = (members: ReadonlyArray<Condition | undefined>): Condition | undefined => {
  const known = members.filter((member) => member !== undefined)
  if (known.length < members.length) return undefined
  return function* (block, selected) {
    const open = selected.slice()
    selected.fill(0)
    for (const member of known) {
      const passed = open.slice()
      yield* member(block, passed)
      for (let i = 0; i < block.size; i++)
        if (passed[i] === 1) {
          selected[i] = 1
          open[i] = 0
        }
    }
  }
}

const leafOf = (judging: Judging, leaf: ListFilter): Leaf | undefined => {
  const column = columnOf(judging, leaf.field)
  if (column === undefined) return undefined
  const { field, place, same } = column
  const { operator, value } = leaf
  if (field !== undefined && isText(field)) {
    if (operator === "isNull") return holding(place, value !== true)
    const texts = (Array.isArray(value) ? value : [value]).map((one) => judging.texts.get(String(one)))
    const known = texts.filter((text) => text !== undefined)
    const [text] = known
    if (text === undefined || known.length < texts.length) return undefined
    if (operator === "contains") return containing(place, text.low, 0)
    if (operator === "startsWith") return containing(place, `${SEPARATOR}${text.low}`, 1)
    const isSame = comparison(
      operator,
      known.map((one) => one.same),
      value
    )
    return isSame && comparing(same, isSame)
  }
  const isOfClient = field?.target === "client" && operator !== "isNull"
  const values = (Array.isArray(value) ? value : [value]).map((one) =>
    field === undefined ? Number(one) : numberOf(field, one)
  )
  const passes = isOfClient ? undefined : comparison(operator, values, value)
  return passes === undefined ? undefined : comparing(place, passes)
}

/** Whether a number passes; NaN stands for none. */
const comparison = (
  operator: ListFilter["operator"],
  values: ReadonlyArray<number>,
  asked: ListFilter["value"]
): ((value: number) => boolean) | undefined => {
  const [bound = Number.NaN] = values
  const among = new Set(values)
  switch (operator) {
    case "eq":
      return (value) => value === bound
    case "ne":
      return (value) => value !== bound
    case "gt":
      return (value) => value > bound
    case "gte":
      return (value) => value >= bound
    case "lt":
      return (value) => value < bound
    case "lte":
      return (value) => value <= bound
    case "in":
      return (value) => among.has(value)
    case "nin":
      return (value) => !among.has(value)
    case "isNull":
      return (value) => Number.isNaN(value) === (asked === true)
    default:
      return undefined
  }
}

const comparing =
  (place: number, passes: (value: number) => boolean): Leaf =>
  ({ columns, size }, selected) => {
    const column = columns[place]
    if (!isNumbers(column)) return
    const { values } = column
    for (let i = 0; i < size; i++) if (selected[i] === 1 && !passes(values[i] ?? Number.NaN)) selected[i] = 0
  }

const holding =
  (place: number, isHeld: boolean): Leaf =>
  ({ columns, size }, selected) => {
    const column = columns[place]
    if (!isTexts(column)) return
    for (let i = 0; i < size; i++) if ((column.held[i] === 1) !== isHeld) selected[i] = 0
  }

/** Texts that contain the word; one that begins `before` characters ahead of a text is part of its beginning. */
const containing =
  (place: number, word: string, before: number): Leaf =>
  ({ columns, size }, selected) => {
    const column = columns[place]
    if (!isTexts(column)) return
    let number = 0
    for (let i = 0; i < size; i++) number += selected[i] ?? 0
    if (number <= size * ONE_BY_ONE_SHARE) return oneByOne(column, word.slice(before), before > 0, selected)
    const found = new Uint8Array(size)
    const { joined, starts } = column
    let record = 0
    let at = joined.indexOf(word)
    // Behind the last text only a separator is left, which is a beginning of nothing.
    while (at >= 0) {
      while (record < size && (starts[record + 1] ?? 0) <= at + before) record++
      if (record === size) break
      found[record] = column.held[record] ?? 0
      at = joined.indexOf(word, (starts[record + 1] ?? 0) - before)
    }
    for (let i = 0; i < size; i++) if (found[i] === 0) selected[i] = 0
  }

const oneByOne = (column: Texts, word: string, isBeginning: boolean, selected: Selected): void => {
  for (const [i, isSelected] of selected.entries()) {
    if (isSelected === 0) continue
    const text = textAt(column, i)
    const passes = column.held[i] === 1 && (isBeginning ? text.startsWith(word) : text.includes(word))
    if (!passes) selected[i] = 0
  }
}
