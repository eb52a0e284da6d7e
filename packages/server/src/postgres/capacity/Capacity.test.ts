// contract §11: below the mark writes are refused and reads go on; an instance above its quota adds nothing.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gateOf, isFull } from "./Capacity.ts"

describe("free space", () => {
  it("is full below the mark, and again enough a tenth above it", () => {
    assert.isFalse(isFull(100, 100, false))
    assert.isTrue(isFull(99, 100, false))
    assert.isTrue(isFull(109, 100, true))
    assert.isFalse(isFull(111, 100, true))
    assert.isFalse(isFull(0, 0, false), "a mark of 0 is none")
  })
})

describe("the gate of writes", () => {
  const known = { isDiskFull: false, above: new Map([[1, "the instance stores 9 of at most 8 rows"]]) }
  const passing = (instanceId: number, operation: string, isDiskFull = false) =>
    Effect.runSync(
      Effect.match(gateOf({ ...known, isDiskFull }).pass(instanceId, operation), {
        onSuccess: () => "passed",
        onFailure: (error) => error._tag
      })
    )

  it("refuses an instance above its quota what adds, and nothing else", () => {
    assert.strictEqual(passing(1, "chat.create"), "QuotaExceeded")
    assert.strictEqual(passing(1, "context.import"), "QuotaExceeded")
    for (const adding of ["inbound.message", "broadcast.start", "broadcast_template.create", "call_node"])
      assert.strictEqual(passing(1, adding), "QuotaExceeded", adding)
    for (const other of ["broadcast.pause", "broadcast.cancel", "model.update"])
      assert.strictEqual(passing(1, other), "passed", other)
    assert.strictEqual(passing(1, "chat.update"), "passed")
    assert.strictEqual(passing(1, "client.erase"), "passed")
    assert.strictEqual(passing(2, "chat.create"), "passed")
  })

  it("refuses every write on a full disk but those that make space", () => {
    assert.strictEqual(passing(2, "chat.update", true), "SourceUnavailable")
    assert.strictEqual(passing(2, "client.erase", true), "passed")
    assert.strictEqual(passing(2, "record.delete", true), "passed")
  })
})
