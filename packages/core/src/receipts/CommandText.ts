// The canonical text of a command: equal for equal commands, however they were written (contract §1.3).
import { Struct } from "effect"
import { canonicalJson } from "../json/CanonicalJson.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import type { Command } from "./Receipts.ts"

/** How deep the content of a command is taken apart: the single members of its lists. */
const DEPTH_IN_PIECES = 2
/** UTF-16 units of a text that are written at once. */
const TEXT_PIECE_UNITS = 64 * 1024

/** Operation, path ids and content; members sorted, texts and names in normal form C. The secret stays out. */
export const commandText = (command: Command): string => [...commandPieces(command)].join("")

/** The same text in pieces, so that a long one need not be made, nor hashed, in one go. */
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

/** A long text in pieces, none of which ends between the halves of a character: escaped it may be six times as long. */
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

/**
 * Canonical JSON with texts and names in normal form C, so that equal words written in different code points are one
 * command.
 */
export const composedJson = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(composedText(value))
  if (Array.isArray(value)) return `[${value.map(composedJson).join(",")}]`
  if (typeof value !== "object" || value === null) return canonicalJson(value)
  const members = sortedMembers(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${composedJson(member)}`
  )
  return `{${members.join(",")}}`
}

/** The members that are there, by their composed names. */
const sortedMembers = (value: object): Array<readonly [name: string, member: unknown]> => {
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const composed = members.map(([name, member]): readonly [string, unknown] => [composedText(name), member])
  // Names that would become one stay as they were written: neither member may vanish from the fingerprint.
  const isOne = new Set(composed.map(([name]) => name)).size < members.length
  return (isOne ? members : composed).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * A command without those of its members that are empty lists or objects, which is their default: whether a default is
 * written out does not matter (contract §1.3). For members that fingerprints of old receipts leave out.
 */
export const withoutEmpty = <A extends object>(content: A, members: ReadonlyArray<keyof A & string>) =>
  Struct.omit(
    content,
    members.filter((member) => {
      const value: unknown = content[member]
      return typeof value === "object" && value !== null && Object.keys(value).length === 0
    })
  )
