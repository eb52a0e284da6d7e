// Checks whether a history of a compare-and-set register is linearizable: each operation takes effect at one point between its
// call and its answer. The search of Wing and Gong with Lowe's cache of visited states.

/** Version 0 is the empty register. */
export type Operation =
  | {
      readonly kind: "write"
      readonly expected: number | null
      readonly value: string
      readonly got: WriteOutcome
    }
  | { readonly kind: "read"; readonly got: { readonly version: number; readonly value: string | null } }
/** `unknown`: no answer came. The write may have had its effect at any time after its call, or never. */
export type WriteOutcome =
  | { readonly outcome: "won"; readonly version: number }
  | { readonly outcome: "lost"; readonly version: number }
  | { readonly outcome: "unknown" }

/** Times of one clock. `answered` is Infinity if no answer came. */
export type RecordedOperation = Operation & { readonly called: number; readonly answered: number }

/** `Undecided`: the search stopped after STEPS_MAX steps. */
export type Verdict =
  | { readonly _tag: "Linearizable" }
  | { readonly _tag: "Violated"; readonly stuckAfter: number }
  | { readonly _tag: "Undecided" }

interface Register {
  readonly version: number
  readonly value: string | null
}

/** The register after the operation; undefined if the operation cannot have this answer. */
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

/** Checks the history of a register that begins empty. */
export const checkHistory = (history: ReadonlyArray<RecordedOperation>): Verdict => {
  const operations = history.toSorted((a, b) => a.called - b.called)
  const done = operations.map(() => false)
  const tried = new Set<string>()
  let [steps, deepest, placed] = [0, 0, 0]
  let [firstOpen, left] = [0, operations.filter(({ answered }) => answered !== Infinity).length]

  // An operation may be next if it was called before any other remaining operation had answered.
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
  const visit = (register: Register): boolean => {
    const rest: Array<number> = []
    for (let i = firstOpen; i < done.length; i++) if (done[i] === true) rest.push(i)
    const key = `${register.version}|${register.value}|${firstOpen}|${rest.join(",")}`
    if (tried.has(key)) return true
    tried.add(key)
    return false
  }

  // No recursion: histories are longer than the call stack.
  const stack: Array<{
    readonly register: Register
    readonly next: ReadonlyArray<number>
    at: number
    by: number
  }> = [{ register: { version: 0, value: null }, next: candidates(), at: 0, by: -1 }]
  for (;;) {
    if (left === 0) return { _tag: "Linearizable" }
    if (++steps > STEPS_MAX) return { _tag: "Undecided" }
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
    if (visit(register)) place(i, -1)
    else stack.push({ register, next: candidates(), at: 0, by: i })
  }
}
