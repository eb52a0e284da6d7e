// Conditions on records, judged in their columns (docs/contract.md §1.2, §9.2): what the conditions of SQL let pass and nothing
// else. What columns do not tell is undefined, and left to SQL.
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import type { StoredField, Where } from "@rapport/core/records/RecordStore.ts"
import { isText, numberOf } from "../IndexedConditions.ts"
import { type Block, isNumbers, isTexts, type Layout, SEPARATOR, type Texts, textAt } from "./Block.ts"
import { groupSize, groupsWith, hashesOf } from "./Grams.ts"

/** Which records of a block are still in question: one where they are. There may be places behind those of its records. */
export type Selected = Uint8Array
/** Takes out of the selected some that do not pass. */
type Taking = (block: Block, selected: Selected) => void
interface Leaf {
  /** Those that cost nothing to tell. */
  readonly narrow: Taking
  /** All of them. */
  readonly judge: Taking
}
export interface Condition {
  readonly narrow: Taking
  /** Judges what was narrowed, in steps, after each of which others may get their turn. */
  readonly steps: (block: Block, selected: Selected) => Iterable<void>
}

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
  return leaf && inOneStep(leaf)
}

const inOneStep = ({ judge, narrow }: Leaf): Condition => ({
  narrow,
  *steps(block, selected) {
    judge(block, selected)
    yield
  }
})

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
  return {
    // What one of them leaves out no other has to judge.
    narrow: (block, selected) => {
      for (const member of known) member.narrow(block, selected)
    },
    *steps(block, selected) {
      for (const member of known) yield* member.steps(block, selected)
      yield
    }
  }
}

const either = (members: ReadonlyArray<Condition | undefined>): Condition | undefined => {
  const known = members.filter((member) => member !== undefined)
  if (known.length < members.length) return undefined
  return {
    narrow: () => undefined,
    *steps(block, selected) {
      const { size } = block
      const open = selected.slice(0, size)
      selected.fill(0, 0, size)
      for (const member of known) {
        const passed = open.slice()
        member.narrow(block, passed)
        yield* member.steps(block, passed)
        for (let i = 0; i < size; i++)
          if (passed[i] === 1) {
            selected[i] = 1
            open[i] = 0
          }
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
  const compares = isOfClient ? undefined : comparison(operator, values, value)
  return compares === undefined ? undefined : comparing(place, compares)
}

interface Comparison {
  /** Whether a number passes; NaN stands for none. */
  readonly passes: (value: number) => boolean
  /** Whether one between these may pass. */
  readonly mayPass: (least: number, most: number) => boolean
}
const always = () => true

const comparison = (
  operator: ListFilter["operator"],
  values: ReadonlyArray<number>,
  asked: ListFilter["value"]
): Comparison | undefined => {
  const [bound = Number.NaN] = values
  const among = new Set(values)
  switch (operator) {
    case "eq":
      return {
        passes: (value) => value === bound,
        mayPass: (least, most) => least <= bound && bound <= most
      }
    case "ne":
      return { passes: (value) => value !== bound, mayPass: always }
    case "gt":
      return { passes: (value) => value > bound, mayPass: (_, most) => most > bound }
    case "gte":
      return { passes: (value) => value >= bound, mayPass: (_, most) => most >= bound }
    case "lt":
      return { passes: (value) => value < bound, mayPass: (least) => least < bound }
    case "lte":
      return { passes: (value) => value <= bound, mayPass: (least) => least <= bound }
    case "in":
      return {
        passes: (value) => among.has(value),
        mayPass: (least, most) => values.some((one) => least <= one && one <= most)
      }
    case "nin":
      return { passes: (value) => !among.has(value), mayPass: always }
    case "isNull":
      return { passes: (value) => Number.isNaN(value) === (asked === true), mayPass: always }
    default:
      return undefined
  }
}

const comparing = (place: number, { mayPass, passes }: Comparison): Leaf => ({
  narrow: ({ columns, size }, selected) => {
    const column = columns[place]
    if (isNumbers(column) && !mayPass(column.least, column.most)) selected.fill(0, 0, size)
  },
  judge: ({ columns, size }, selected) => {
    const column = columns[place]
    if (!isNumbers(column)) return
    const { values } = column
    for (let i = 0; i < size; i++) if (selected[i] === 1 && !passes(values[i] ?? Number.NaN)) selected[i] = 0
  }
})

const holding = (place: number, isHeld: boolean): Leaf => ({
  narrow: () => undefined,
  judge: ({ columns, size }, selected) => {
    const column = columns[place]
    if (!isTexts(column)) return
    for (let i = 0; i < size; i++) if ((column.held[i] === 1) !== isHeld) selected[i] = 0
  }
})

/** Texts that contain the word; one that begins `before` characters ahead of a text is part of its beginning. */
const containing = (place: number, word: string, before: number): Leaf => {
  const hashes = hashesOf(word)
  return {
    narrow: ({ columns, size }, selected) => {
      const column = columns[place]
      if (!isTexts(column)) return
      const groups = groupsWith(column.grams, hashes)
      const step = groupSize(size)
      for (let group = 0; group * step < size; group++)
        if ((groups & (1 << group)) === 0) selected.fill(0, group * step, Math.min(size, (group + 1) * step))
    },
    judge: ({ columns, size }, selected) => {
      const column = columns[place]
      if (!isTexts(column)) return
      let number = 0
      for (let i = 0; i < size; i++) number += selected[i] ?? 0
      if (number <= size * ONE_BY_ONE_SHARE) oneByOne(column, word.slice(before), before > 0, selected, size)
      else atOnce(column, word, before, selected, size)
    }
  }
}

const oneByOne = (
  column: Texts,
  word: string,
  isBeginning: boolean,
  selected: Selected,
  size: number
): void => {
  for (let i = 0; i < size; i++) {
    if (selected[i] !== 1) continue
    const text = textAt(column, i)
    const passes = column.held[i] === 1 && (isBeginning ? text.startsWith(word) : text.includes(word))
    if (!passes) selected[i] = 0
  }
}

/** Looks through the groups that have selected records, those beside each other at once. */
const atOnce = (column: Texts, word: string, before: number, selected: Selected, size: number): void => {
  const step = groupSize(size)
  let from = 0
  while (from < size) {
    let to = from
    while (to < size && hasSelected(selected, to, Math.min(size, to + step))) to = Math.min(size, to + step)
    if (to > from) lookThrough(column, { word, before, from, to }, selected)
    from = to > from ? to : from + step
  }
}

const hasSelected = (selected: Selected, from: number, to: number): boolean => {
  for (let i = from; i < to; i++) if (selected[i] === 1) return true
  return false
}

interface Run {
  readonly word: string
  readonly before: number
  readonly from: number
  readonly to: number
}

const lookThrough = (
  { held, joined, starts }: Texts,
  { before, from, to, word }: Run,
  selected: Selected
): void => {
  const offset = (starts[from] ?? 1) - 1
  const part = joined.slice(offset, starts[to])
  let record = from
  while (record < to) {
    const at = part.indexOf(word, (starts[record] ?? 0) - before - offset)
    const place = at < 0 ? Infinity : at + offset + before
    // Behind the last text only a separator is left, which is a beginning of nothing.
    for (; record < to && (starts[record + 1] ?? 0) <= place; record++) selected[record] = 0
    if (record < to && held[record] !== 1) selected[record] = 0
    record++
  }
}
