// Canonical JSON of RFC 8785: members sorted by UTF-16 code units, numbers and texts as ECMAScript writes them.
import { isSentBack, sentBack } from "./SentBackJson.ts"

/** Text of plain JSON data; members that are undefined are left out. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (isSentBack(value)) return String(Number(JSON.stringify(value)))
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`
}

/** Whether `JSON.stringify` writes the value canonically by itself: every object's members are in order already. */
export const inCanonicalOrder = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return value.every(inCanonicalOrder)
  if (isSentBack(value)) return false
  const members = value as Readonly<Record<string, unknown>>
  let last: string | undefined
  // Without a list of them: packs ask this of every value that they show.
  for (const name in members) {
    if ((last !== undefined && last >= name) || !inCanonicalOrder(members[name])) return false
    last = name
  }
  return true
}

/**
 * The same data as a pack shows it: members in canonical order, as far as an object keeps it (names that look like indexes
 * stay first), and numbers as they may be sent back. Unchanged data stays the same object. Each value is visited once.
 */
export const inOrder = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return sentBack(value)
  if (Array.isArray(value)) return itemsInOrder(value)
  const members: ReadonlyArray<readonly [string, unknown]> = Object.entries(value)
  let isSorted = true
  let hasChanged = false
  let last: string | undefined
  const sorted = members.map((member): readonly [string, unknown] => {
    const [name, held] = member
    if (last !== undefined && last >= name) isSorted = false
    last = name
    const inside = inOrder(held)
    if (inside === held) return member
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

/** The same members in canonical order; values within stay as they are. */
export const ordered = <A extends object>(value: A): A => {
  if (areInOrder(value)) return value
  const names = Object.keys(value)
  // The spread keeps the places of the first object and takes the values of the second.
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
 * How long the canonical text of plain JSON data is in UTF-8: what limits of decoded data are measured by. The order of
 * members does not change it, and a batch may hold tens of thousands of them.
 */
export const canonicalBytes = (value: unknown): number => encoder.encode(JSON.stringify(value)).byteLength
