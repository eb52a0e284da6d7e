// Strict JSON (contract §1, "Strictness"): refuses a body that two parsers could read differently or that is expensive to parse.
import { isAscii, isUtf8 } from "node:buffer"
import { JSON_DEPTH_MAX, JSON_ITEMS_MAX, JSON_NAMES_MAX } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"

/** The checked text without escapes in names and the names of its root object; or the fault. */
type StrictJson =
  | { readonly text: string; readonly names: ReadonlyArray<string> }
  | { readonly fault: string }

/** Characters per slice: a fraction of a millisecond of text, a few milliseconds of small members. */
const SLICE_CHARACTERS = 32 * 1024

/** Yields to other requests before a step that takes as long as the body is. */
export const yieldBeforeLong = (text: string): Effect.Effect<void> =>
  text.length > SLICE_CHARACTERS ? Effect.yieldNow : Effect.void

/** A body of a route, or JSON-RPC messages: one or a batch. Values of messages are checked within their arguments. */
type Kind = "body" | "messages"

/**
 * Accepts a UTF-8 JSON object without byte order mark, repeated names, NUL, lone surrogates or numbers that a double cannot represent,
 * nested at most JSON_DEPTH_MAX deep. A long body is checked in slices, and other requests run between them.
 */
export const strictJson = (bytes: Uint8Array, kind: Kind = "body"): Effect.Effect<StrictJson> =>
  bytes.length <= SLICE_CHARACTERS ? Effect.sync(() => inOneSlice(bytes, kind)) : inSlices(bytes, kind)

const inOneSlice = (bytes: Uint8Array, kind: Kind): StrictJson => {
  const decoded = textOf(bytes)
  if ("fault" in decoded) return decoded
  const scan = new JsonScan(decoded.text, kind)
  scan.walk(Infinity)
  return resultOf(scan)
}

const inSlices = Effect.fnUntraced(function* (bytes: Uint8Array, kind: Kind) {
  const decoded = textOf(bytes)
  if ("fault" in decoded) return decoded
  const scan = new JsonScan(decoded.text, kind)
  for (let end = SLICE_CHARACTERS; !scan.walk(end); end += SLICE_CHARACTERS) yield* Effect.yieldNow
  return resultOf(scan)
})

/** Results by body: a possible history is checked before its policy is known, and again by RequestBody. */
const results = new WeakMap<ArrayBuffer, StrictJson>()

/** `strictJson` of a whole body, cached. */
export const strictBody = Effect.fnUntraced(function* (body: ArrayBuffer) {
  const cached = results.get(body)
  if (cached !== undefined) return cached
  const result: StrictJson = yield* strictJson(new Uint8Array(body))
  results.set(body, result)
  return result
})

const textOf = (bytes: Uint8Array): { readonly text: string } | { readonly fault: string } => {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { fault: "must not begin with a byte order mark" }
  }
  if (!isUtf8(bytes)) return { fault: "must be UTF-8" }
  const encoding = isAscii(bytes) ? "latin1" : "utf8"
  return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding) }
}

const resultOf = (scan: JsonScan): StrictJson =>
  scan.fault === undefined ? { text: scan.plainText(), names: scan.rootNames } : { fault: scan.fault }

/** The tokens that may follow. */
type Expected =
  | "root"
  | "value"
  | "value or end"
  | "name"
  | "name or end"
  | "colon"
  | "comma or end"
  | "nothing"

/** An open object with its names so far, or an open array. */
interface Open {
  readonly names: Set<string> | undefined
}

const [QUOTE, BACKSLASH, COLON, COMMA, MINUS] = [34, 92, 58, 44, 45]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [123, 125, 91, 93]
const malformed = "must be valid JSON"

/**
 * Names are rewritten without escapes: V8 misreads escaped names after an object with the name `\` was parsed anywhere in the process
 * (nodejs/node#63785). Names that cannot be written without escapes are refused.
 */
class JsonScan {
  /** The fault of the text; final when `walk` returned true. */
  fault: string | undefined
  /** The names of the root object. */
  readonly rootNames: Array<string> = []

  private at = 0
  private expected: Expected = "root"
  private names = 0
  private items = 0
  private readonly open: Array<Open> = []
  /** The string in progress: a name or a value, its begin, and whether it contains an escape so far. */
  private reading: "name" | "value" | undefined
  private begin = 0
  private isEscaped = false
  /** Begin, end and plain spelling of every name with an escape. */
  private readonly escapedNames: Array<{
    readonly begin: number
    readonly end: number
    readonly name: string
  }> = []
  private readonly text: string
  private readonly kind: Kind

  constructor(text: string, kind: Kind) {
    this.text = text
    this.kind = kind
  }

  /** Scans to `end` or slightly beyond. Returns whether the text has ended or is faulty. */
  walk(end: number): boolean {
    const { text } = this
    while (this.fault === undefined && this.at < end) {
      if (this.reading !== undefined) {
        this.string(end)
        continue
      }
      const c = text.charCodeAt(this.at)
      if (c === 32 || c === 10 || c === 13 || c === 9) this.at++
      else if (this.at >= text.length) {
        if (this.expected !== "nothing") this.fault = this.expected === "root" ? notObject : malformed
        return true
      } else this.token(c)
    }
    return this.fault !== undefined
  }

  /** The text without escapes in names. */
  plainText(): string {
    if (this.escapedNames.length === 0) return this.text
    const parts: Array<string> = []
    let from = 0
    for (const { begin, end, name } of this.escapedNames) {
      parts.push(this.text.slice(from, begin), JSON.stringify(name))
      from = end
    }
    return parts.join("") + this.text.slice(from)
  }

  private token(c: number) {
    switch (this.expected) {
      case "root":
        if (c !== OPEN_OBJECT && (c !== OPEN_ARRAY || this.kind === "body")) this.fault = notObject
        else this.beginOpen(c)
        return
      case "name or end":
        if (c === CLOSE_OBJECT) this.end()
        else this.name(c)
        return
      case "name":
        this.name(c)
        return
      case "colon":
        if (c !== COLON) this.fault = malformed
        this.at++
        this.expected = "value"
        return
      case "value or end":
        if (c === CLOSE_ARRAY) this.end()
        else this.value(c)
        return
      case "value":
        this.value(c)
        return
      case "comma or end":
        this.next(c)
        return
      case "nothing":
        this.fault = malformed
    }
  }

  private next(c: number) {
    const isObject = this.open.at(-1)?.names !== undefined
    if (c === COMMA) {
      this.at++
      this.expected = isObject ? "name" : "value"
    } else if (c === (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) this.end()
    else this.fault = malformed
  }

  private beginOpen(c: number) {
    if (this.open.length >= JSON_DEPTH_MAX) this.fault = `must not be nested deeper than ${JSON_DEPTH_MAX}`
    const isObject = c === OPEN_OBJECT
    this.open.push({ names: isObject ? new Set() : undefined })
    this.expected = isObject ? "name or end" : "value or end"
    this.at++
  }

  private end() {
    this.open.pop()
    this.at++
    this.expected = this.open.length === 0 ? "nothing" : "comma or end"
  }

  private value(c: number) {
    const { names } = this.open.at(-1) ?? {}
    if (names === undefined && ++this.items > JSON_ITEMS_MAX) {
      this.fault = `must not hold more than ${JSON_ITEMS_MAX} values in its arrays`
      return
    }
    if (c === OPEN_OBJECT || c === OPEN_ARRAY) return this.beginOpen(c)
    if (c === QUOTE) this.beginString("value")
    else if (c === MINUS || (c >= 48 && c <= 57)) this.number()
    else this.literal()
    this.expected = "comma or end"
  }

  private name(c: number) {
    if (c !== QUOTE) this.fault = malformed
    else if (++this.names > JSON_NAMES_MAX) this.fault = `must not hold more than ${JSON_NAMES_MAX} members`
    else this.beginString("name")
    this.expected = "colon"
  }

  /** `expected` is the token after the string. */
  private beginString(reading: "name" | "value") {
    this.reading = reading
    this.begin = this.at++
    this.isEscaped = false
  }

  /** Scans the string to its end or to `end`. */
  private string(end: number) {
    const { text } = this
    let i = this.at
    while (i < end) {
      const c = text.charCodeAt(i)
      if (c === QUOTE) {
        this.at = i + 1
        if (this.reading === "name") this.endName()
        this.reading = undefined
        return
      }
      if (c === BACKSLASH) {
        this.isEscaped = true
        i += this.escape(i)
        if (this.fault !== undefined) return
      } else if (c >= 32) i++
      else {
        // A control character, or the end of the text, whose code is NaN.
        this.fault = malformed
        return
      }
    }
    this.at = i
  }

  private endName() {
    const { begin, isEscaped } = this
    const raw = this.text.slice(begin, this.at)
    const name = isEscaped ? String(JSON.parse(raw)) : raw.slice(1, -1)
    if (isEscaped) {
      // eslint-disable-next-line no-control-regex -- it looks for control characters
      if (/["\\\u0000-\u001f]/u.test(name)) {
        this.fault = "must not hold a name with a quotation mark, backslash or control character"
        return
      }
      this.escapedNames.push({ begin, end: this.at, name })
    }
    const names = this.open.at(-1)?.names
    if (names?.has(name) === true) this.fault = "must not hold the same name twice in one object"
    names?.add(name)
    if (this.open.length === 1) this.rootNames.push(name)
  }

  /** The length of the escape at `i`. A surrogate is read with its other half. */
  private escape(i: number): number {
    const { text } = this
    if (text.charCodeAt(i + 1) !== 117) {
      if (!'"\\/bfnrt'.includes(text.charAt(i + 1)) || i + 1 >= text.length) this.fault = malformed
      return 2
    }
    const unit = unitAt(text, i + 2)
    if (unit < 0) this.fault = malformed
    else if (this.kind === "messages") return 6
    else if (unit === 0) this.fault = notWell
    else if (unit >= 0xd800 && unit <= 0xdfff) {
      const low =
        text.charCodeAt(i + 6) === BACKSLASH && text.charCodeAt(i + 7) === 117 ? unitAt(text, i + 8) : -1
      if (unit >= 0xdc00 || low < 0xdc00 || low > 0xdfff) this.fault = notWell
      return 12
    }
    return 6
  }

  private number() {
    numberAt.lastIndex = this.at
    if (!numberAt.test(this.text)) {
      this.fault = malformed
      return
    }
    const literal = this.text.slice(this.at, numberAt.lastIndex)
    if (this.kind === "body" && !isKept(literal))
      this.fault = "must not hold a number that a double cannot hold"
    this.at = numberAt.lastIndex
  }

  private literal() {
    const literal = literals.find((word) => this.text.startsWith(word, this.at))
    if (literal === undefined) this.fault = malformed
    else this.at += literal.length
  }
}

const notObject = "must be a JSON object"
const notWell = "must not hold NUL or a lone surrogate"
const literals = ["true", "false", "null"]
const numberAt = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

/** The code unit of four hexadecimal digits, or −1. */
const unitAt = (text: string, begin: number): number => {
  let unit = 0
  for (let i = begin; i < begin + 4; i++) {
    const c = text.charCodeAt(i)
    const letter = c | 32
    const digit = c >= 48 && c <= 57 ? c - 48 : letter >= 97 && letter <= 102 ? letter - 87 : -1
    if (digit < 0) return -1
    unit = unit * 16 + digit
  }
  return unit
}

/** Whether a double represents the number exactly and, for an integer literal, safely. */
const isKept = (literal: string): boolean => {
  if (literal.length < 16 && !literal.includes("e") && !literal.includes("E")) return true
  const n = Number(literal)
  if (/^-?\d+$/u.test(literal)) return Number.isSafeInteger(n)
  if (!Number.isFinite(n) || (n === 0 && /[1-9]/u.test(literal.split(/e/iu)[0] ?? ""))) return false
  if (Math.abs(n) <= Number.MAX_SAFE_INTEGER) return true
  // Above this, doubles are whole numbers: the literal must be exactly this one or its shortest spelling.
  const sent = decimalOf(literal)
  return sent === decimalOf(String(n)) || sent === decimalOf(String(BigInt(n)))
}

const decimal = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/u

/** A canonical spelling: the digits without zeros at both ends, and the exponent of the last digit. */
const decimalOf = (literal: string): string => {
  const [, whole = "", fraction = "", exponent = "0"] = decimal.exec(literal) ?? []
  const digits = whole + fraction
  let begin = 0
  let end = digits.length
  while (begin < end && digits[begin] === "0") begin++
  while (end > begin && digits[end - 1] === "0") end--
  return `${digits.slice(begin, end)}e${Number(exponent) - fraction.length + digits.length - end}`
}
