// The steps of a broadcast, its end, and its rate (contract §9.1).
import { assert, it } from "@effect/vitest"
import { broadcastStatuses } from "@rapport/contract/broadcasts/Broadcast.ts"
import * as fc from "fast-check"
import { type BroadcastStep, endOf, statusAfterStep } from "./BroadcastSteps.ts"
import { GATHERED_MILLIS, CATCH_UP_MILLIS_MAX, RECIPIENTS_BATCH, dueBatch } from "./Pacing.ts"

const NOW = 1_000_000
const steps: ReadonlyArray<BroadcastStep> = ["start", "pause", "resume", "cancel"]
/** `status step` and the next status. All others are refused. */
const allowed: Readonly<Record<string, string>> = {
  "draft start": "running",
  "running pause": "paused",
  "paused resume": "running",
  "draft cancel": "cancelled",
  "scheduled cancel": "cancelled",
  "running cancel": "cancelled",
  "paused cancel": "cancelled"
}

it.each(broadcastStatuses.flatMap((status) => steps.map((step) => [status, step] as const)))(
  "a broadcast in status %s allows or refuses %s as in the contract",
  (status, step) => {
    for (const scheduledAt of [null, NOW - 1, NOW])
      assert.strictEqual(statusAfterStep({ status, scheduledAt }, step, NOW), allowed[`${status} ${step}`])
  }
)

it("a broadcast with a future scheduledAt is scheduled by start, and by resume after a restore", () => {
  assert.strictEqual(statusAfterStep({ status: "draft", scheduledAt: NOW + 1 }, "start", NOW), "scheduled")
  assert.strictEqual(statusAfterStep({ status: "paused", scheduledAt: NOW + 1 }, "resume", NOW), "scheduled")
})

it.each([
  [{ queued: 1, failed: 3, skipped: 0 }, undefined],
  [{ queued: 0, failed: 3, skipped: 2 }, "failed"],
  [{ queued: 0, failed: 3, skipped: 2, read: 1 }, "completed"],
  [{ queued: 0, failed: 0, skipped: 2 }, "completed"],
  [{ queued: 0, failed: 0, skipped: 0 }, "completed"]
])("a broadcast with the recipients %j ends as %s", (counted, end) => {
  const counts = { sent: 0, delivered: 0, read: 0, ...counted }
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  assert.strictEqual(endOf({ ...counts, total }), end)
})

const rates = fc.integer({ min: 1, max: 6_000 })

it("a broadcast sends evenly at its rate, however often it is evaluated", () => {
  fc.assert(
    fc.property(
      rates,
      fc.array(fc.integer({ min: 1, max: GATHERED_MILLIS }), { minLength: 50, maxLength: 400 }),
      (rate, waits) => {
        const interval = 60_000 / rate
        let [now, due, sent] = [NOW, NOW, 0]
        for (const wait of waits) {
          const batch = dueBatch(rate, due, now)
          assert.isAtMost(batch.count, 1 + GATHERED_MILLIS / interval)
          sent += batch.count
          due = batch.nextAt
          // It is never ahead of the rate, and behind it by less than one recipient.
          const ideal = 1 + (now - NOW) / interval
          assert.isAtMost(sent, ideal + 1e-6)
          assert.isAbove(sent, ideal - 1 - 1e-6)
          now += wait
        }
      }
    )
  )
})

it("a broadcast catches up at most one second of lost time, in batches", () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 1, max: 10 ** 9 }), (rate, lost) => {
      const interval = 60_000 / rate
      const now = NOW + lost
      let batch = dueBatch(rate, NOW, now)
      let written = 0
      while (batch.count > 0) {
        assert.isAtMost(batch.count, RECIPIENTS_BATCH)
        written += batch.count
        batch = dueBatch(rate, batch.nextAt, now)
      }
      assert.isAtMost(written, 1 + CATCH_UP_MILLIS_MAX / interval + 1e-6)
      assert.isAbove(batch.nextAt, now - 1e-6)
    })
  )
})
