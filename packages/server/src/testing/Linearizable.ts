// Was a recorded history of one compare-and-set register possible at all, had every operation happened at one moment
// between its call and its answer? The search of Wing and Gong, with what was tried remembered (Lowe).

/** Versions count from 0 (nothing is there); `value` is that of a version. */
export type Operation =
  | {
      readonly kind: "write"
      readonly expected: number | null
      readonly value: string
      readonly got: Written
    }
  | { readonly kind: "read"; readonly got: { readonly version: number; readonly value: string | null } }
/** `unknown`: no answer came; it may have happened at any time after its call, or never. */
export type Written =
  | { readonly outcome: "won"; readonly version: number }
  | { readonly outcome: "lost"; readonly version: number }
  | { readonly outcome: "unknown" }

/** Times of one clock; `answered` is Infinity where no answer came. */
export type Recorded = Operation & { readonly called: number; readonly answered: number }

/** `undecided`: the search was given up after STEPS_MAX steps. */
export type Verdict =
  | { readonly _tag: "Linearizable" }
  | { readonly _tag: "Violated"; readonly stuckAfter: number }
  | { readonly _tag: "Undecided" }

interface Register {
  readonly version: number
  readonly value: string | null
}

/** The register after the operation, or undefined where it cannot have answered so. */
const apply = (register: Register, operation: Operation): Register | undefined => {
  const { got, kind } = operation
  if (kind === "read")
    return got.version === register.version && got.value === register.value ? register : undefined
  const fits = operation.expected === null || operation.expected === register.version
  const next = { version: register.version + 1, value: operation.value }
  switch (got.outcome) {
    case "won":
      return fits && got.version === next.version ? next : undefined
    case "lost":
      return !fits && got.version === register.version ? register : undefined
    case "unknown":
      return fits ? next : register
  }
}

const STEPS_MAX = 2_000_000

/** Judges the history of one register that begins empty. */
export const judgeHistory = (history: ReadonlyArray<Recorded>, stepsMax = STEPS_MAX): Verdict => {
  const operations = history.toSorted((a, b) => a.called - b.called)
  const done = operations.map(() => false)
  const tried = new Set<string>()
  let [steps, deepest, placed] = [0, 0, 0]
  let [firstOpen, left] = [0, operations.filter(({ answered }) => answered !== Infinity).length]

  // Which may be next: those that were called before any of the others that are left had answered.
  const candidates = (): ReadonlyArray<number> => {
    const found: Array<number> = []
    let earliest = Infinity
    for (let i = firstOpen; i < operations.length; i++) {
      const operation = operations[i]
      if (operation === undefined || done[i] === true) continue
      if (operation.called > earliest) break
      earliest = Math.min(earliest, operation.answered)
      found.push(i)
    }
    return found
  }
  const place = (i: number, by: 1 | -1) => {
    done[i] = by === 1
    placed += by
    if (operations[i]?.answered !== Infinity) left -= by
    if (by === -1) firstOpen = Math.min(firstOpen, i)
    else while (done[firstOpen] === true) firstOpen++
  }
  const seen = (register: Register): boolean => {
    const rest: Array<number> = []
    for (let i = firstOpen; i < done.length; i++) if (done[i] === true) rest.push(i)
    const key = `${register.version}|${register.value}|${firstOpen}|${rest.join(",")}`
    if (tried.has(key)) return true
    tried.add(key)
    return false
  }

  // A stack of our own: histories are longer than the call stack is deep.
  const stack: Array<{
    readonly register: Register
    readonly next: ReadonlyArray<number>
    at: number
    by: number
  }> = [{ register: { version: 0, value: null }, next: candidates(), at: 0, by: -1 }]
  for (;;) {
    if (left === 0) return { _tag: "Linearizable" }
    if (++steps > stepsMax) return { _tag: "Undecided" }
    const top = stack.at(-1)
    if (top === undefined) return { _tag: "Violated", stuckAfter: deepest }
    const i = top.next[top.at++]
    if (i === undefined) {
      stack.pop()
      if (top.by >= 0) place(top.by, -1)
      continue
    }
    const operation = operations[i]
    const register = operation === undefined ? undefined : apply(top.register, operation)
    if (register === undefined) continue
    place(i, 1)
    deepest = Math.max(deepest, placed)
    if (seen(register)) place(i, -1)
    else stack.push({ register, next: candidates(), at: 0, by: i })
  }
}
