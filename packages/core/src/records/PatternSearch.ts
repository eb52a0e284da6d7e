// Finds a pattern in a text a stretch at a time, so that a search which takes long can pause: RE2JS, which compiles the
// pattern, searches a whole text in one go (docs/contract.md §9.2, §12 "Work of one request").
import { RE2JS } from "re2js"

/** Each step of what RE2JS compiles a pattern to, as its `re2().prog` has them. */
interface Step {
  readonly op: number
  readonly out: number
  readonly arg: number
  /** Ranges of the characters that it reads. */
  runes: ArrayLike<number> | null
  readonly matchRune: (point: number) => boolean
}

/** What a step does, by the numbers of RE2JS; those behind FOUND read a character. */
const [EITHER, EITHER_FOUND, CAPTURE, EDGE, NEVER, FOUND, NOTHING] = [1, 2, 3, 4, 5, 6, 7]
const READS: ReadonlySet<number> = new Set([8, 9, 10, 11])
const KNOWN: ReadonlySet<number> = new Set([
  EITHER,
  EITHER_FOUND,
  CAPTURE,
  EDGE,
  NEVER,
  FOUND,
  NOTHING,
  ...READS
])

/** A compiled pattern, which any number of searches share. */
export interface Pattern {
  readonly start: number
  readonly steps: ReadonlyArray<Step>
  readonly ops: Uint8Array
  /** Where each step goes on; of an alternative its first and its second way. */
  readonly outs: Uint16Array
  /** Of an edge the places that it asks for. */
  readonly args: Uint16Array
  /** What it takes in memory, about: a class of characters as `\\pL` has a thousand numbers. */
  readonly bytes: number
}

const STEP_BYTES = 200
const RUNE_BYTES = 4

/** Steps that read the same characters share their ranges, which RE2JS makes for each; how many numbers all of them have. */
const sharedRunes = (steps: ReadonlyArray<Step>): number => {
  const known = new Map<number, Array<ArrayLike<number>>>()
  let numbers = 0
  for (const step of steps) {
    const { runes } = step
    if (runes === null) continue
    const ofLength = known.get(runes.length) ?? []
    const same = ofLength.find((one) => isSame(one, runes))
    if (same === undefined) {
      known.set(runes.length, [...ofLength, runes])
      numbers += runes.length
    } else step.runes = same
  }
  return numbers
}

const isSame = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => {
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

/** Throws where the pattern is none. */
export const compilePattern = (pattern: string): Pattern => {
  const compiled = RE2JS.compile(pattern)
  const { inst: steps, start }: { readonly inst: ReadonlyArray<Step>; readonly start: number } =
    compiled.re2().prog
  if (!steps.every(({ op }) => KNOWN.has(op))) throw new Error(`a step of ${pattern} is unknown`)
  return {
    start,
    steps,
    ops: Uint8Array.from(steps, ({ op }) => op),
    outs: Uint16Array.from(steps, ({ out }) => out),
    args: Uint16Array.from(steps, ({ arg }) => arg),
    bytes: STEP_BYTES * steps.length + RUNE_BYTES * sharedRunes(steps)
  }
}

/** Different characters of a text of which a search remembers which steps read them. */
const REMEMBERED_MAX = 256
const [UNKNOWN, READ, NOT_READ] = [0, 1, 2]
/** In place of a character before the text and behind it. */
const NONE = -1

/** One search: all ways through the pattern at once, so the time is linear in the text. */
export class PatternSearch {
  /** Steps taken so far; each takes some hundredths of a microsecond. */
  taken = 0

  readonly #pattern: Pattern
  readonly #text: string
  #at = 0
  #before = NONE
  /** Steps that the ways so far have come to, and those that they come to next. */
  #here: Uint16Array
  #ways = 0
  #next: Uint16Array
  /** The number of the character at which a step was last taken, and steps still to be taken at this one. */
  readonly #takenAt: Uint32Array
  readonly #open: Uint16Array
  #number = 0
  readonly #readers = new Map<number, Uint8Array>()

  constructor(pattern: Pattern, text: string) {
    const { length } = pattern.steps
    this.#pattern = pattern
    this.#text = text
    this.#here = new Uint16Array(length + 1)
    this.#next = new Uint16Array(length + 1)
    this.#takenAt = new Uint32Array(length)
    this.#open = new Uint16Array(length + 1)
  }

  /** Goes on until so many steps were taken in all, or a little more: whether the pattern is found, undefined if unknown yet. */
  advance(stepsMax: number): boolean | undefined {
    while (this.taken < stepsMax) {
      const point = this.#text.codePointAt(this.#at) ?? NONE
      if (this.#read(point)) return true
      if (point === NONE) return false
      this.#at += point > 0xffff ? 2 : 1
      this.#before = point
    }
    return undefined
  }

  /** Takes every way over one character, or the end of the text; true where one of them ends the pattern. */
  #read(point: number): boolean {
    const { args, ops, outs, start, steps } = this.#pattern
    const [here, next, open, takenAt] = [this.#here, this.#next, this.#open, this.#takenAt]
    const readers = this.#readersOf(point)
    const place = placeBetween(this.#before, point)
    const number = ++this.#number
    // The pattern may begin at each character.
    here[this.#ways++] = start
    let ways = 0
    for (let way = 0; way < this.#ways; way++) {
      let depth = 0
      open[depth++] = here[way] ?? start
      while (depth > 0) {
        const at = open[--depth] ?? start
        if (takenAt[at] === number) continue
        takenAt[at] = number
        this.taken++
        switch (ops[at]) {
          case EITHER:
          case EITHER_FOUND:
            open[depth++] = args[at] ?? start
            open[depth++] = outs[at] ?? start
            break
          case CAPTURE:
          case NOTHING:
            open[depth++] = outs[at] ?? start
            break
          case EDGE:
            if (((args[at] ?? 0) & ~place) === 0) open[depth++] = outs[at] ?? start
            break
          case NEVER:
            break
          case FOUND:
            return true
          default:
            if (readers[at] === UNKNOWN)
              readers[at] = point !== NONE && steps[at]?.matchRune(point) === true ? READ : NOT_READ
            if (readers[at] === READ) next[ways++] = outs[at] ?? start
        }
      }
    }
    this.#here = next
    this.#next = here
    this.#ways = ways
    return false
  }

  #readersOf(point: number): Uint8Array {
    const known = this.#readers.get(point)
    if (known !== undefined) return known
    if (this.#readers.size >= REMEMBERED_MAX) this.#readers.clear()
    const made = new Uint8Array(this.#pattern.steps.length)
    this.#readers.set(point, made)
    return made
  }
}

const LINE_FEED = 10
const isWord = (point: number): boolean =>
  (point >= 48 && point <= 57) ||
  (point >= 65 && point <= 90) ||
  point === 95 ||
  (point >= 97 && point <= 122)

/** What edges may ask of the place between two characters, by the bits of RE2JS. */
const placeBetween = (before: number, after: number): number =>
  (before === NONE ? 5 : before === LINE_FEED ? 1 : 0) |
  (after === NONE ? 10 : after === LINE_FEED ? 2 : 0) |
  (isWord(before) === isWord(after) ? 32 : 16)
