// Judges the bytes of a JSON body before anything decodes them: what two readers could read differently is refused, and so
// is what takes longer to read than its bytes are worth.
import { isAscii, isUtf8 } from "node:buffer"
import { JSON_DEPTH_MAX } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { JsonScan } from "./JsonScan.ts"

/** The judged text, its escaped names written plainly, with the names of the body's own members; or what is wrong. */
type StrictJson =
  | { readonly text: string; readonly names: ReadonlyArray<string> }
  | { readonly fault: string }

/** Characters judged before other requests get their turn: well below a millisecond of text, a few of small members. */
const SLICE_CHARACTERS = 128 * 1024

/** A turn for other requests before a step that takes long because the body is long. */
export const yieldBeforeLong = (text: string): Effect.Effect<void> =>
  text.length > SLICE_CHARACTERS ? Effect.yieldNow : Effect.void

/**
 * docs/contract.md §1 "Strictness": a UTF-8 JSON object without byte order mark, no name twice in one object at any depth,
 * no NUL or lone surrogate in a text, no number that a double cannot hold, nested at most `depthMax` deep (the body is 1).
 * A long body is judged in slices, and other requests run between them.
 */
export const strictJson = (bytes: Uint8Array, depthMax: number = JSON_DEPTH_MAX): Effect.Effect<StrictJson> =>
  bytes.length <= SLICE_CHARACTERS
    ? Effect.sync(() => strictJsonNow(bytes, depthMax))
    : inSlices(bytes, depthMax)

/** The same of a short body, at once. */
export const strictJsonNow = (bytes: Uint8Array, depthMax: number = JSON_DEPTH_MAX): StrictJson => {
  const decoded = textOf(bytes)
  if ("fault" in decoded) return decoded
  const scan = new JsonScan(decoded.text, depthMax)
  scan.walk(Infinity)
  return judgedOf(scan)
}

const inSlices = Effect.fnUntraced(function* (bytes: Uint8Array, depthMax: number) {
  const decoded = textOf(bytes)
  if ("fault" in decoded) return decoded
  const scan = new JsonScan(decoded.text, depthMax)
  for (let end = SLICE_CHARACTERS; !scan.walk(end); end += SLICE_CHARACTERS) yield* Effect.yieldNow
  return judgedOf(scan)
})

/** Bodies that were judged: one that may be a history is judged before its policy is known, and goes on to the gate. */
const judgedBodies = new WeakMap<ArrayBuffer, StrictJson>()

/** `strictJson` of a whole body, judged once however often it is asked for. */
export const strictBody = Effect.fnUntraced(function* (body: ArrayBuffer) {
  const known = judgedBodies.get(body)
  if (known !== undefined) return known
  const judged: StrictJson = yield* strictJson(new Uint8Array(body))
  judgedBodies.set(body, judged)
  return judged
})

const textOf = (bytes: Uint8Array): { readonly text: string } | { readonly fault: string } => {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { fault: "must not begin with a byte order mark" }
  }
  if (!isUtf8(bytes)) return { fault: "must be UTF-8" }
  const encoding = isAscii(bytes) ? "latin1" : "utf8"
  return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding) }
}

const judgedOf = (scan: JsonScan): StrictJson =>
  scan.fault === undefined ? { text: scan.plainText(), names: scan.rootNames } : { fault: scan.fault }
