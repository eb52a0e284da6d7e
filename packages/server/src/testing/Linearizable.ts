// Checks whether a history of a compare-and-set register is linearizable: each operation takes effect at one point between its
// call and its answer. The versions in the answers order all effects, so no order has to be searched.

/** An operation with its answer. Times are of one clock. */
export interface RecordedOperation {
  /** A write, a write that lost to another one, or a read. */
  readonly kind: "won" | "lost" | "read"
  /** The version in the answer; 0 is the empty register. */
  readonly version: number
  /** The version that a write requires; of a read, the one that it returned. */
  readonly expected: number
  readonly value: string | null
  readonly called: number
  readonly answered: number
}

/** Every fault in the history of a register that begins empty; none if it is linearizable. */
export const faultsIn = (history: ReadonlyArray<RecordedOperation>): ReadonlyArray<string> => {
  const writes = history.filter(({ kind }) => kind === "won").toSorted((a, b) => a.version - b.version)
  const valueAt = (version: number) => (version === 0 ? null : writes[version - 1]?.value)
  const isPossible = ({ expected, kind, value, version }: RecordedOperation) =>
    kind === "lost"
      ? expected !== version && version <= writes.length
      : valueAt(version) === value && (kind === "read" || expected === version - 1)
  // A write is the first operation on its version.
  const placeOf = ({ kind, version }: RecordedOperation) => 2 * version + (kind === "won" ? 0 : 1)
  return [
    ...writes.filter(({ version }, at) => version !== at + 1),
    ...history.filter((one) => !isPossible(one)),
    ...history.filter((one) =>
      history.some((other) => other.answered < one.called && placeOf(other) > placeOf(one))
    )
  ].map((one) => JSON.stringify(one))
}
