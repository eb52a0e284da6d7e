// Canonical JSON (RFC 8785).
import { isSentBack, sentBack } from "./SentBackJson.ts"

/** The canonical text of plain JSON data, without undefined members. */
export const canonicalJson = (value: unknown): string =>
  inCanonicalOrder(value) ? JSON.stringify(value) : sortedJson(value)

/** The canonical text of data whose JSON is `text`. Usually both are equal. */
export const canonicalTextOf = (value: unknown, text: string): string =>
  inCanonicalOrder(value) ? text : sortedJson(value)

const sortedJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (isSentBack(value)) return String(Number(JSON.stringify(value)))
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${sortedJson(member)}`).join(",")}}`
}

/** Whether the members of all objects are in order, so that `JSON.stringify` writes canonical text. */
const inCanonicalOrder = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return value.every(inCanonicalOrder)
  if (isSentBack(value)) return false
  const members = value as Readonly<Record<string, unknown>>
  let last: string | undefined
  // Without an array of members: packs check every value.
  for (const name in members) {
    if ((last !== undefined && last >= name) || !inCanonicalOrder(members[name])) return false
    last = name
  }
  return true
}

/**
 * The data as packs show it: members in canonical order (except names that look like indexes, which JavaScript keeps first) and
 * numbers in a form that requests accept. Unchanged data stays the same object. Each value is visited once.
 */
export const inOrder = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return sentBack(value)
  if (Array.isArray(value)) return itemsInOrder(value)
  const members: ReadonlyArray<readonly [string, unknown]> = Object.entries(value)
  let isSorted = true
  let hasChanged = false
  let last: string | undefined
  const sorted = members.map((member): readonly [string, unknown] => {
    const [name, inner] = member
    if (last !== undefined && last >= name) isSorted = false
    last = name
    const inside = inOrder(inner)
    if (inside === inner) return member
    hasChanged = true
    return [name, inside]
  })
  if (isSorted && !hasChanged) return value
  return Object.fromEntries(isSorted ? sorted : sorted.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const itemsInOrder = (items: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  let changed: Array<unknown> | undefined
  for (const [index, item] of items.entries()) {
    const inside = inOrder(item)
    if (inside === item) continue
    changed ??= [...items]
    changed[index] = inside
  }
  return changed ?? items
}

/** The members in canonical order; values are unchanged. */
export const orderMembers = <A extends object>(value: A): A => {
  if (areInOrder(value)) return value
  const names = Object.keys(value)
  // The spread keeps the order of the first object and the values of the second.
  const places: object = Object.fromEntries(names.toSorted().map((name) => [name, undefined]))
  return { ...places, ...value }
}

const areInOrder = (value: object): boolean => {
  let last = ""
  for (const name in value) {
    if (name < last) return false
    last = name
  }
  return true
}

const encoder = new TextEncoder()
/**
 * Bytes of the canonical text in UTF-8, by which limits are measured. Not sorted, because the order does not change the length.
 */
export const canonicalBytes = (value: unknown): number => encoder.encode(JSON.stringify(value)).byteLength
