// The checker of linearizable histories: it accepts possible histories and rejects planted violations.
import { assert, it } from "@effect/vitest"
import { checkHistory, type RecordedOperation, type WriteOutcome } from "./Linearizable.ts"

const write = (
  called: number,
  answered: number,
  expected: number | null,
  value: string,
  got: WriteOutcome
): RecordedOperation => ({ kind: "write", called, answered, expected, value, got })
const read = (
  called: number,
  answered: number,
  version: number,
  value: string | null
): RecordedOperation => ({
  kind: "read",
  called,
  answered,
  got: { version, value }
})
const won = (version: number): WriteOutcome => ({ outcome: "won", version })
const lost = (version: number): WriteOutcome => ({ outcome: "lost", version })
const unanswered = write(0, Infinity, 0, "a", { outcome: "unknown" })
const first = write(0, 1, 0, "a", won(1))

const possible: Record<string, ReadonlyArray<RecordedOperation>> = {
  "without operations": [],
  "of sequential operations": [first, write(2, 3, 0, "c", lost(1)), read(4, 5, 1, "a")],
  "of overlapping operations": [
    write(0, 10, 1, "b", won(2)),
    write(1, 9, 0, "a", won(1)),
    read(2, 8, 0, null)
  ],
  "with an unanswered write that had an effect": [unanswered, read(5, 6, 1, "a")],
  "with an unanswered write without effect": [unanswered, read(5, 6, 0, null), read(7, 8, 1, "a")],
  "of unconditional writes": [write(0, 1, null, "a", won(1)), write(2, 3, null, "b", won(2))]
}
it.each(Object.entries(possible))("the checker accepts a history %s", (_, history) =>
  assert.strictEqual(checkHistory(history)._tag, "Linearizable")
)

const violations: Record<string, ReadonlyArray<RecordedOperation>> = {
  "two winners of one version": [write(0, 5, 0, "a", won(1)), write(1, 6, 0, "b", won(1))],
  "a lost update": [first, read(2, 3, 0, null)],
  "a stale read": [first, write(2, 3, 1, "b", won(2)), read(4, 5, 1, "a")],
  "a wrong current version": [first, write(2, 3, 2, "c", lost(3))],
  "a loss at the expected version": [first, write(2, 3, 1, "c", lost(1))],
  "a value that was never written": [first, read(2, 3, 1, "b")],
  "an effect before its call": [read(0, 1, 1, "a"), write(2, 3, 0, "a", won(1))],
  "a skipped version": [write(0, 1, 0, "a", won(2))]
}
it.each(Object.entries(violations))("the checker rejects a history with %s", (_, history) =>
  assert.strictEqual(checkHistory(history)._tag, "Violated")
)

it("the checker reports that its search was too long", () => {
  const many = Array.from({ length: 12 }, (_, n) => write(0, 100, null, `${n}`, lost(99)))
  assert.strictEqual(checkHistory(many, 1)._tag, "Undecided")
})
