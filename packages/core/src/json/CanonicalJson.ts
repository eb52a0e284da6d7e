// Canonical JSON of RFC 8785: members sorted by UTF-16 code units, numbers and texts as ECMAScript writes them.

/** Text of plain JSON data; members that are undefined are left out. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`
}

/** Whether `JSON.stringify` writes the value canonically by itself: every object's members are in order already. */
export const inCanonicalOrder = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return value.every(inCanonicalOrder)
  let last: string | undefined
  for (const [name, member] of Object.entries(value)) {
    if ((last !== undefined && last >= name) || !inCanonicalOrder(member)) return false
    last = name
  }
  return true
}

/** The same data with members in canonical order, as far as an object keeps it: names that look like indexes stay first. */
export const inOrder = (value: unknown): unknown => {
  if (inCanonicalOrder(value)) return value
  if (Array.isArray(value)) return value.map(inOrder)
  return Object.fromEntries(
    Object.entries(Object(value))
      .map(([name, member]): readonly [string, unknown] => [name, inOrder(member)])
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )
}

/** The same members in canonical order; values within stay as they are. */
export const ordered = <A extends object>(value: A): A => {
  const names = Object.keys(value)
  if (names.every((name, index) => index === 0 || (names[index - 1] ?? "") <= name)) return value
  // The spread keeps the places of the first object and takes the values of the second.
  const places: object = Object.fromEntries(names.toSorted().map((name) => [name, undefined]))
  return { ...places, ...value }
}

const encoder = new TextEncoder()
/** How long the canonical text is in UTF-8: what limits of decoded data are measured by. */
export const canonicalBytes = (value: unknown): number => encoder.encode(canonicalJson(value)).byteLength
