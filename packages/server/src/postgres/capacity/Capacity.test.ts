// contract §11: below the mark writes are refused and reads go on; an instance above its quota adds nothing.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { capacityOf, isFull } from "./Capacity.ts"

it("free space is full below its limit and sufficient again a tenth above it", () => {
  assert.isFalse(isFull(100, 100, false))
  assert.isTrue(isFull(99, 100, false))
  assert.isTrue(isFull(109, 100, true))
  assert.isFalse(isFull(111, 100, true))
  assert.isFalse(isFull(0, 0, false), "a mark of 0 is none")
})

const known = { isDiskFull: false, aboveQuota: new Map([[1, "the instance stores 9 of at most 8 rows"]]) }
const outcomeOf = (instanceId: number, operation: string, isDiskFull = false) =>
  Effect.runSync(
    Effect.match(capacityOf({ ...known, isDiskFull }).pass(instanceId, operation), {
      onSuccess: () => "passed",
      onFailure: (error) => error._tag
    })
  )

it("the capacity check refuses an instance above its quota only writes that add data", () => {
  assert.strictEqual(outcomeOf(1, "chat.create"), "QuotaExceeded")
  assert.strictEqual(outcomeOf(1, "context.import"), "QuotaExceeded")
  for (const adding of ["inbound.message", "broadcast.start", "broadcast_template.create", "call_node"])
    assert.strictEqual(outcomeOf(1, adding), "QuotaExceeded", adding)
  for (const other of ["broadcast.pause", "broadcast.cancel", "model.update"])
    assert.strictEqual(outcomeOf(1, other), "passed", other)
  assert.strictEqual(outcomeOf(1, "chat.update"), "passed")
  assert.strictEqual(outcomeOf(1, "client.erase"), "passed")
  assert.strictEqual(outcomeOf(2, "chat.create"), "passed")
})

it("the capacity check refuses on a full disk every write except those that free space", () => {
  assert.strictEqual(outcomeOf(2, "chat.update", true), "SourceUnavailable")
  assert.strictEqual(outcomeOf(2, "client.erase", true), "passed")
  assert.strictEqual(outcomeOf(2, "record.delete", true), "passed")
})
