// Sets of the ids of records that meet the conditions of a list, made of the indexes of its fields (docs/contract.md §9.2).
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, StoredField, Where } from "@rapport/core/records/RecordStore.ts"
import type { Statement } from "effect/sql"
import { idArray } from "../sql/IdArray.ts"
import {
  type Asking,
  fieldOf,
  holdsAll,
  isText,
  type Met,
  metBy,
  metByTexts,
  MOST_SHARE,
  readTexts
} from "./IndexedConditions.ts"

type Fragment = Statement.Fragment

/** Times the share of the other conditions: texts that fewer records hold are found first, others read after them. */
const RARER_SHARE = 3
/** From this share on sets are walked together in the order of records: the walk ends where a count is full. */
const JOINED_SHARE = 0.1

/** What every record must meet, groups of one kind taken apart. */
export const conditionsOf = ({ request, where }: RecordList): ReadonlyArray<Where> =>
  where === null ? request.filters : [...request.filters, ...flat(where)]

const flat = (where: Where): ReadonlyArray<Where> => {
  if ("and" in where) return where.and.flatMap(flat)
  const [only, ...others] = "or" in where ? where.or : [where]
  return only !== undefined && only !== where && others.length === 0 ? flat(only) : [where]
}

/** Which share of the records meets a condition, between 0 and 1; undefined of what was not judged. */
export interface Shares {
  readonly of: (where: Where) => number | undefined
  /** Of the records that meet all conditions. */
  readonly all: number
}

/** How the records of a list are found. */
export interface Search extends Asking {
  /** Undefined where nothing was sampled. */
  readonly shares: Shares | undefined
  /** Ids of all records that meet the conditions, where they were told before. */
  readonly known?: ReadonlyArray<number>
}

const metIn = (search: Search, leaf: ListFilter) => metBy(search, leaf, search.shares?.of(leaf))

/** Sets of ids, each of which holds every record that the condition lets pass. */
export const candidatesOf = (search: Search, where: Where): ReadonlyArray<Fragment> => {
  if ("and" in where) return where.and.flatMap((member) => candidatesOf(search, member))
  if ("or" in where) {
    const members = where.or.map((member) => candidatesOf(search, member)[0])
    const known = members.filter((member) => member !== undefined)
    return known.length < members.length ? [] : [search.sql.join(" union all ", false)(known)]
  }
  const met = metIn(search, where)
  return met === undefined ? [] : [met.ids]
}

/** The records that meet the condition and no others, each once, where indexes alone tell. */
export const exactly = (search: Search, where: Where): Met | undefined => {
  if ("and" in where) return all(search, where.and)
  if (!("or" in where)) {
    const met = metIn(search, where)
    return met?.isExact === true ? met : undefined
  }
  const members = where.or.map((member) => exactly(search, member))
  const known = members.filter((met) => met !== undefined)
  if (known.length < members.length) return undefined
  const united = search.sql.join(" union ", false)(known.map(({ ids }) => ids))
  return {
    ids: search.sql`select record_id from (${united}) either`,
    isExact: true,
    isIndexOnly: known.every(({ isIndexOnly }) => isIndexOnly)
  }
}

/** Words that one field is to contain. */
interface Texts {
  readonly field: StoredField
  readonly values: ReadonlyArray<string>
  readonly share: number | undefined
}

/** Conditions on what a text contains, by its field, and the others. */
const textsOf = (search: Search, conditions: ReadonlyArray<Where>) => {
  const texts = new Map<number, Texts>()
  const others: Array<Where> = []
  for (const where of conditions) {
    const leaf = "field" in where && where.operator === "contains" ? where : undefined
    const field = leaf && fieldOf(search, leaf)
    if (leaf === undefined || field === undefined || !isText(field)) {
      others.push(where)
      continue
    }
    const [share, before] = [search.shares?.of(leaf), texts.get(field.id)]
    texts.set(field.id, {
      field,
      values: [...(before?.values ?? []), String(leaf.value)],
      // As if one word did not go with the other.
      share: before === undefined ? share : product(before.share, share)
    })
  }
  return { texts: [...texts.values()], others }
}
const product = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? undefined : a * b

/**
 * The same for all of the conditions. Sets whose rows are not read are intersected, and the texts of what they leave are read
 * one by one; of texts alone those of one field are found together.
 */
const all = (search: Search, conditions: ReadonlyArray<Where>): Met | undefined => {
  const { sql } = search
  const { others, texts } = textsOf(search, conditions)
  const sets = others.map((condition) => exactly(search, condition))
  const known = sets.filter((met) => met !== undefined)
  if (known.length < sets.length) return undefined
  const [first] = known
  if (first === undefined) {
    const [only, ...further] = texts
    return only === undefined || further.length > 0
      ? undefined
      : metByTexts(search, only.field, only.values, only.share)
  }
  if (known.length === 1 && texts.length === 0) return first
  if (!known.every(({ isIndexOnly }) => isIndexOnly)) return undefined
  // Hashed or sorted, however many the planner expects; a join might loop through one set for each of the other.
  const together =
    known.length === 1
      ? first.ids
      : sql`select record_id from (${sql.join(" intersect ", false)(known.map(({ ids }) => ids))}) together`
  if (texts.length === 0) return { ids: together, isExact: true, isIndexOnly: true }
  const [only, ...further] = texts
  const share = others.map((where) => search.shares?.of(where)).reduce(product, 1)
  if (only?.share !== undefined && further.length === 0 && only.share < (share ?? 0) * RARER_SHARE) {
    const { ids } = metByTexts(search, only.field, only.values, only.share)
    return {
      ids: sql`select record_id from (${ids} intersect ${together}) together`,
      isExact: true,
      isIndexOnly: false
    }
  }
  const read = sql.and(texts.map((text) => holdsIn(search, text)))
  return {
    ids: sql`select record_id from (${together}) few where ${read}`,
    isExact: true,
    isIndexOnly: false
  }
}

/** Whether the record of `few` has such a text: of each by itself, so that a count ends where it is full. */
const holdsIn = ({ list, session, sql }: Search, { field, values }: Texts): Fragment =>
  sql`(select ${holdsAll(sql, values)} from custom_values indexed where indexed.instance_id = ${session.instanceId}
    and indexed.model_id = ${list.model.id} and indexed.record_id = few.record_id
    and indexed.field_id = ${field.id} and indexed.low is not null)`

/** The same in the order of records, where each of the conditions is a wide one of an index that has that order. */
export const joined = (search: Search, conditions: ReadonlyArray<Where>): Fragment | undefined => {
  const { shares, sql } = search
  if ((shares?.all ?? 0) < JOINED_SHARE) return undefined
  const { others, texts } = textsOf(search, conditions)
  const [text, ...further] = texts
  const sets = others.map((where) => ("field" in where ? metIn(search, where) : undefined))
  const ids = sets.flatMap((met) => (met?.isExact === true && met.isIndexOnly ? [met.ids] : []))
  if (ids.length < sets.length || further.length > 0 || conditions.length < 2) return undefined
  if (text !== undefined && ((text.share ?? 0) < MOST_SHARE || ids.length === 0)) return undefined
  const either =
    text === undefined ? [ids] : readTexts(search, text.field, text.values).map((read) => [...ids, read])
  const joins = either.map((sets) => {
    const tables = sets.map(
      (set, i) => sql`(${set}) ${sql.literal(`met${i}`)}${sql.literal(i === 0 ? "" : " using (record_id)")}`
    )
    return sql`select record_id from ${sql.join(" join ", false)(tables)}`
  })
  return sql.join(" union all ", false)(joins)
}

/** Ids of the records of the list, each once, where indexes alone tell. */
export const exactIds = (search: Search): Fragment | undefined => {
  const { known, list, sql } = search
  return known === undefined
    ? all(search, conditionsOf(list))?.ids
    : sql`select record_id from unnest(${idArray(sql, known)}) known (record_id)`
}
