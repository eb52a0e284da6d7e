// The canonical text of a command, which is equal for equal commands (contract §1.3).
import { Struct } from "effect"
import { canonicalJson } from "../json/CanonicalJson.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import type { Command } from "./Receipts.ts"

/** Depth of the content that is yielded in pieces: the members of its lists. */
const DEPTH_IN_PIECES = 2
/** UTF-16 units of a text in one piece. */
const TEXT_PIECE_UNITS = 64 * 1024

/**
 * Sorts members, and composes texts and names to normal form C. Leaves out the secret.
 * In pieces, so that other requests run while a long text is hashed.
 */
export function* commandPieces({ content, operation, pathIds }: Command): Generator<string> {
  yield `[${JSON.stringify(operation)},${canonicalJson(pathIds)},`
  yield* piecesOf(content, DEPTH_IN_PIECES)
  yield "]"
}

function* piecesOf(value: unknown, depth: number): Generator<string> {
  if (typeof value === "string" && value.length > TEXT_PIECE_UNITS)
    return yield* textPieces(composedText(value))
  if (depth === 0 || typeof value !== "object" || value === null) return yield composedJson(value)
  if (Array.isArray(value)) {
    yield "["
    for (const [i, item] of value.entries()) {
      if (i > 0) yield ","
      yield* piecesOf(item, depth - 1)
    }
    return yield "]"
  }
  yield "{"
  for (const [i, [name, member]] of sortedMembers(value).entries()) {
    yield `${i > 0 ? "," : ""}${JSON.stringify(name)}:`
    yield* piecesOf(member, depth - 1)
  }
  return yield "}"
}

/** Never splits a surrogate pair. */
function* textPieces(text: string): Generator<string> {
  yield '"'
  for (let begin = 0; begin < text.length;) {
    const end = begin + TEXT_PIECE_UNITS
    const whole = end + ((text.codePointAt(end - 1) ?? 0) > 0xffff ? 1 : 0)
    yield JSON.stringify(text.slice(begin, whole)).slice(1, -1)
    begin = whole
  }
  yield '"'
}

/** Canonical JSON with texts and names in normal form C: equal words in different code points are one command. */
export const composedJson = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(composedText(value))
  if (Array.isArray(value)) return `[${value.map(composedJson).join(",")}]`
  if (typeof value !== "object" || value === null) return canonicalJson(value)
  const members = sortedMembers(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${composedJson(member)}`
  )
  return `{${members.join(",")}}`
}

/** The defined members, sorted by composed name. */
const sortedMembers = (value: object): Array<readonly [name: string, member: unknown]> => {
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const composed = members.map(([name, member]): readonly [string, unknown] => [composedText(name), member])
  // If composing makes two names equal, neither is composed: both members belong to the fingerprint.
  const hasCollision = new Set(composed.map(([name]) => name)).size < members.length
  return (hasCollision ? members : composed).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Leaves out members with empty lists or objects, their default, so that both are one command (contract §1.3). */
export const withoutEmpty = <A extends object>(content: A, members: ReadonlyArray<keyof A & string>) =>
  Struct.omit(
    content,
    members.filter((member) => {
      const value: unknown = content[member]
      return typeof value === "object" && value !== null && Object.keys(value).length === 0
    })
  )
