// The checker itself: what it must pass, and planted violations that it must catch.
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { judgeHistory, type Recorded, type Written } from "./Linearizable.ts"

const write = (
  called: number,
  answered: number,
  expected: number | null,
  value: string,
  got: Written
): Recorded => ({ kind: "write", called, answered, expected, value, got })
const read = (called: number, answered: number, version: number, value: string | null): Recorded => ({
  kind: "read",
  called,
  answered,
  got: { version, value }
})
const won = (version: number): Written => ({ outcome: "won", version })
const lost = (version: number): Written => ({ outcome: "lost", version })
const unknown: Written = { outcome: "unknown" }
const verdict = (...history: ReadonlyArray<Recorded>) => judgeHistory(history)._tag

describe("a history that may have happened", () => {
  it("nothing at all, and one after the other", () => {
    assert.strictEqual(verdict(), "Linearizable")
    assert.strictEqual(
      verdict(
        read(0, 1, 0, null),
        write(2, 3, 0, "a", won(1)),
        read(4, 5, 1, "a"),
        write(6, 7, 1, "b", won(2)),
        write(8, 9, 1, "c", lost(2)),
        read(10, 11, 2, "b")
      ),
      "Linearizable"
    )
  })

  it("overlapping operations in an order other than that of their calls", () => {
    assert.strictEqual(
      verdict(write(0, 10, 1, "b", won(2)), write(1, 9, 0, "a", won(1)), read(2, 8, 0, null)),
      "Linearizable"
    )
  })

  it("a write without an answer that others have seen, and one that nobody has seen", () => {
    const unanswered = write(0, Infinity, 0, "a", unknown)
    assert.strictEqual(verdict(unanswered, read(5, 6, 1, "a")), "Linearizable")
    assert.strictEqual(verdict(unanswered, read(5, 6, 0, null)), "Linearizable")
    assert.strictEqual(verdict(unanswered, read(5, 6, 0, null), read(7, 8, 1, "a")), "Linearizable")
  })

  it("unconditional writes", () => {
    assert.strictEqual(
      verdict(write(0, 1, null, "a", won(1)), write(2, 3, null, "b", won(2)), read(4, 5, 2, "b")),
      "Linearizable"
    )
  })
})

describe("a planted violation", () => {
  it("a double win: two writers of one version", () => {
    assert.strictEqual(verdict(write(0, 5, 0, "a", won(1)), write(1, 6, 0, "b", won(1))), "Violated")
  })

  it("a lost update: what was acknowledged is gone", () => {
    assert.strictEqual(verdict(write(0, 1, 0, "a", won(1)), read(2, 3, 0, null)), "Violated")
    assert.strictEqual(
      verdict(write(0, 1, 0, "a", won(1)), write(2, 3, 0, "b", won(1)), read(4, 5, 1, "b")),
      "Violated"
    )
  })

  it("a stale read: an older version after a newer one was answered", () => {
    assert.strictEqual(
      verdict(write(0, 1, 0, "a", won(1)), write(2, 3, 1, "b", won(2)), read(4, 5, 1, "a")),
      "Violated"
    )
    assert.strictEqual(
      verdict(write(0, 9, 0, "a", won(1)), read(1, 2, 1, "a"), read(3, 4, 0, null)),
      "Violated"
    )
  })

  it("a wrong currentVersion: of the past, of the future, or the one that was expected", () => {
    const two = [write(0, 1, 0, "a", won(1)), write(2, 3, 1, "b", won(2))]
    for (const version of [0, 1, 3])
      assert.strictEqual(verdict(...two, write(4, 5, 0, "c", lost(version))), "Violated")
    assert.strictEqual(verdict(...two, write(4, 5, 2, "c", lost(2))), "Violated")
  })

  it("a value that was never written, and one that loses to none", () => {
    assert.strictEqual(verdict(write(0, 1, 0, "a", won(1)), read(2, 3, 1, "b")), "Violated")
    assert.strictEqual(verdict(write(0, 1, 0, "a", lost(1))), "Violated")
  })

  it("an effect before its call", () => {
    assert.strictEqual(verdict(read(0, 1, 1, "a"), write(2, 3, 0, "a", won(1))), "Violated")
  })

  it("a skipped version", () => {
    assert.strictEqual(verdict(write(0, 1, 0, "a", won(2))), "Violated")
  })
})

/** A run of a correct register: operations take effect in order, their times overlap at random. */
const run = fc
  .array(
    fc.record({
      kind: fc.constantFrom("read", "write", "blind", "stale"),
      before: fc.nat(40),
      after: fc.nat(40),
      answered: fc.boolean()
    }),
    { minLength: 5, maxLength: 60 }
  )
  .map((plan) => {
    let [version, value] = [0, null as string | null]
    return plan.map(({ after, answered, before, kind }, n): Recorded => {
      const at = 10 * n
      const times = { called: at - before, answered: at + after }
      if (kind === "read") return { kind, ...times, got: { version, value } }
      const expected = kind === "blind" ? null : kind === "stale" ? version + 1 : version
      const mine = `v${n}`
      if (kind === "stale") return { kind: "write", ...times, expected, value: mine, got: lost(version) }
      ;[version, value] = [version + 1, mine]
      return answered
        ? { kind: "write", ...times, expected, value: mine, got: won(version) }
        : { kind: "write", called: times.called, answered: Infinity, expected, value: mine, got: unknown }
    })
  })

describe("any run of a correct register", () => {
  it("passes, in whatever order it was written down", () => {
    fc.assert(
      fc.property(run, fc.infiniteStream(fc.nat()), (history, random) => {
        const shuffled = history
          .map((operation) => ({ operation, at: random.next().value }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ operation }) => operation)
        assert.strictEqual(judgeHistory(shuffled)._tag, "Linearizable")
      })
    )
  })

  it("does not pass with one more winner of a version that is won already", () => {
    fc.assert(
      fc.property(run, fc.nat(), (history, pick) => {
        const winners = history.filter(
          (operation) => operation.kind === "write" && operation.got.outcome === "won"
        )
        const twin = winners[pick % Math.max(1, winners.length)]
        fc.pre(twin?.kind === "write")
        if (twin?.kind !== "write") return
        assert.strictEqual(judgeHistory([...history, { ...twin, value: "twin" }])._tag, "Violated")
      })
    )
  })

  it("does not pass with a read of what was written over long ago", () => {
    fc.assert(
      fc.property(run, (history) => {
        const late = 10 * history.length + 1_000
        const writes = history.filter(
          (operation) => operation.kind === "write" && operation.got.outcome === "won"
        )
        fc.pre(writes.length > 0)
        assert.strictEqual(judgeHistory([...history, read(late, late + 1, 0, null)])._tag, "Violated")
      })
    )
  })
})

describe("the search", () => {
  it("says so when it is given up", () => {
    const many = Array.from({ length: 12 }, (_, n) => write(0, 100, null, `${n}`, lost(99)))
    assert.strictEqual(judgeHistory(many, 1)._tag, "Undecided")
    assert.strictEqual(judgeHistory(many)._tag, "Violated")
  })
})
