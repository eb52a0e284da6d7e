// Canonical JSON (RFC 8785).
import { BoundedMap } from "../values/BoundedMap.ts"

/** A value that is a part of several others. Its canonical text is written once. */
export class WrittenJson {
  readonly value: unknown
  #text: string | undefined

  constructor(value: unknown) {
    this.value = value
  }

  get text(): string {
    return (this.#text ??= canonicalJson(this.value))
  }
}

/** The canonical text of plain JSON data and of its written parts. Undefined members are left out. */
export const canonicalJson = (value: unknown): string => jsonOf(value, (names) => names.toSorted())

/** The same with members in their own order, except those of written parts. */
export const orderedJson = (value: unknown): string => jsonOf(value, (names) => names)

const jsonOf = (value: unknown, order: (names: ReadonlyArray<string>) => ReadonlyArray<string>): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (value instanceof WrittenJson) return value.text
  if (Array.isArray(value)) return `[${value.map((item) => jsonOf(item, order)).join(",")}]`
  const members = value as Readonly<Record<string, unknown>>
  let text = ""
  for (const name of order(Object.keys(members))) {
    const member = members[name]
    if (member !== undefined)
      text += `${text === "" ? "" : ","}${quotedNames.getOrSet(name, quote)}:${jsonOf(member, order)}`
  }
  return `{${text}}`
}

/** Names repeat: to quote them again takes a third of the time of a text. */
const quotedNames = new BoundedMap<string, string>(10_000)
const quote = (name: string): string => JSON.stringify(name)

const encoder = new TextEncoder()
/**
 * Bytes of the canonical text in UTF-8, by which limits are measured. Not sorted, because the order does not change the length.
 */
export const canonicalBytes = (value: unknown): number => encoder.encode(JSON.stringify(value)).byteLength
