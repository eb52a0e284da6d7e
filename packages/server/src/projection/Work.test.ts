// What a projection does next, as properties: the order of the kinds of work, and that every one of them comes to an end.
import { assert, describe, it } from "@effect/vitest"
import { OUTBOX_BATCH_MAX } from "../postgres/outbox/OutboxLimits.ts"
import {
  INDEX_BACKOFF_MILLIS,
  OUTBOX_BUSY_GATHER_MILLIS,
  OUTBOX_BUSY_MIN,
  OUTBOX_GATHER_MILLIS,
  POSITION_REFRESH_MILLIS
} from "./ProjectionLimits.ts"
import * as fc from "fast-check"
import {
  type Checkpoint,
  decodeCheckpoint,
  progressOf,
  type ProjectionProgress
} from "./ProjectionProgress.ts"
import {
  atScanStart,
  firstRetry,
  afterEntries,
  isAhead,
  laterRetry,
  nextWork,
  atHorizon,
  pauseMillis,
  type PolledInstance,
  retriesWithout,
  afterScanPage,
  withRetries
} from "./Work.ts"
import { Effect } from "effect"

const NOW = 1_800_000_000_000
const time = fc.integer({ min: NOW - 2 * POSITION_REFRESH_MILLIS, max: NOW + 1_000 })
const xid = fc.bigInt({ min: 1n, max: 2n ** 63n }).map(String)
const key = fc.integer({ min: 1, max: 50 })
const retry = fc.record({ key, tries: fc.integer({ min: 1, max: 9 }), dueAt: time, since: time })
const checkpoint: fc.Arbitrary<Checkpoint> = fc.record({
  source: fc.constant("database"),
  generation: fc.constant(1),
  epoch: fc.constant("epoch"),
  xid,
  id: xid,
  witness: fc.constant(null),
  notedAt: time,
  scan: fc.option(fc.record({ after: key, built: key, total: key, since: time }), { nil: null }),
  built: fc.nat(100),
  again: fc.array(retry, { maxLength: 3 })
})
const progress = fc
  .record({ checkpoint, complete: fc.boolean(), indexedAt: time })
  .map(({ checkpoint, complete, indexedAt }): ProjectionProgress =>
    progressOf("active", { instanceId: 1, complete, indexedAt }, checkpoint)
  )
const instance: fc.Arbitrary<PolledInstance> = fc
  .record({
    waitingSince: fc.option(time, { nil: null }),
    open: fc.boolean(),
    missed: fc.boolean(),
    ahead: fc.boolean()
  })
  .map(({ ahead, missed, open, waitingSince }) => ({
    id: 1,
    waitingSince,
    due: waitingSince !== null && !open,
    missed,
    ahead
  }))
const poll = fc.record({ horizon: xid, instance }).map(({ horizon, instance }) => ({
  source: "database",
  epoch: "later",
  horizon,
  generation: 1,
  now: NOW,
  instances: [instance]
}))
const world = fc.record({ progress, poll })

/** For every progress and every poll. */
const always = (
  holds: (
    progress: ProjectionProgress,
    poll: Parameters<typeof nextWork>[1],
    instance: PolledInstance
  ) => void
) =>
  fc.assert(
    fc.property(world, ({ poll, progress }) => {
      for (const one of poll.instances) holds(progress, poll, one)
    }),
    { numRuns: 500 }
  )

describe("the next work of a projection in an instance", () => {
  it("is a scan from the beginning where nothing is in the index", () =>
    always((_, poll, instance) =>
      assert.deepStrictEqual(nextWork(undefined, poll, instance), { _tag: "Scan", begins: true })
    ))

  it("is a scan from the beginning, too, when entries were deleted unseen, but for a scan under way", () =>
    always((progress, poll, instance) => {
      const work = nextWork(progress, poll, instance)
      const begins = work._tag === "Scan" && work.begins
      assert.strictEqual(begins, instance.missed && progress.checkpoint.scan === null)
    }))

  it("never leaves a due retry behind a scan, or a scan behind the outbox", () =>
    always(({ ...progress }, poll, instance) => {
      const { again, scan } = progress.checkpoint
      const work = nextWork(progress, poll, { ...instance, missed: false })
      const isDue = again.some(({ dueAt }) => dueAt <= poll.now)
      const wanted = isDue ? "Retry" : scan !== null ? "Scan" : instance.due ? "Follow" : work._tag
      assert.strictEqual(work._tag, wanted)
    }))

  it("follows nothing that an open transaction holds back, and says nothing of a position while a change waits", () =>
    always((progress, poll, instance) => {
      const { _tag } = nextWork(progress, poll, instance)
      if (_tag === "Follow") assert.isTrue(instance.due)
      if (_tag === "Note") assert.isNull(instance.waitingSince)
      if (_tag === "Note") assert.isAbove(poll.now - progress.checkpoint.notedAt, POSITION_REFRESH_MILLIS)
    }))

  it("is idle once it is atHorizon that nothing is pending, so that notes do not follow notes", () =>
    always((progress, poll, instance) => {
      const quiet = { ...instance, waitingSince: null, due: false, missed: false }
      if (nextWork(progress, poll, quiet)._tag !== "Note") return
      assert.strictEqual(nextWork(atHorizon(progress, poll), poll, quiet)._tag, "Idle")
    }))
})

const pauseAfter = (...afterEntries: ReadonlyArray<number>) => pauseMillis(new Map(), afterEntries)

describe("the pause of a projection after a round with work", () => {
  it("is short after a few entries, and longer after many of one instance or of all", () => {
    const few = OUTBOX_BUSY_MIN - 1
    assert.deepStrictEqual(
      [pauseAfter(), pauseAfter(1), pauseAfter(few)],
      Array(3).fill(OUTBOX_GATHER_MILLIS)
    )
    assert.deepStrictEqual(
      [pauseAfter(OUTBOX_BUSY_MIN), pauseAfter(few, 1), pauseAfter(OUTBOX_BATCH_MAX - 1)],
      Array(3).fill(OUTBOX_BUSY_GATHER_MILLIS)
    )
  })

  it("is none while entries are left behind a whole batch, or a scan is under way", () => {
    assert.strictEqual(pauseAfter(OUTBOX_BATCH_MAX, 1), 0)
    always((progress) => {
      const isScanning = progress.checkpoint.scan !== null
      assert.strictEqual(pauseMillis(new Map([[1, progress]]), [1]), isScanning ? 0 : OUTBOX_GATHER_MILLIS)
    })
  })
})

describe("the progress of a projection", () => {
  it("is read back from the index as it was written", () =>
    always((progress) =>
      assert.deepStrictEqual(
        Effect.runSync(decodeCheckpoint(progress.stored.checkpoint)),
        progress.checkpoint
      )
    ))

  it("of a scan takes every page once and ends complete", () =>
    always((progress, poll) => {
      const keys = Array.from({ length: 7 }, (_, at) => at + 1)
      let at = atScanStart("active", poll, { instanceId: 1, total: 3, epoch: "new" }, progress)
      const taken: Array<number> = []
      for (let page = 0; at.checkpoint.scan !== null; page++) {
        assert.isBelow(page, 9)
        const after = at.checkpoint.scan.after
        const next = keys.filter((one) => one > after).slice(0, 2)
        taken.push(...next)
        at = afterScanPage(at, next, poll)
      }
      assert.deepStrictEqual(taken, keys)
      assert.isTrue(at.stored.complete)
      assert.strictEqual(at.checkpoint.built, keys.length)
      assert.isAtLeast(at.stored.indexedAt, progress.stored.indexedAt)
    }))

  it("never forgets what is to be tried again when it scans again, pages, follows or notes", () =>
    always((progress, poll) => {
      const entry = { xid: poll.horizon, id: "9", key: 1, createdAt: NOW - 5 }
      const after = [
        atScanStart("building", poll, { instanceId: 1, total: 3, epoch: "new" }, progress),
        afterScanPage(progress, [60, 61], poll),
        afterScanPage(progress, [], poll),
        afterEntries(progress, [entry], entry, poll),
        atHorizon(progress, poll)
      ]
      for (const one of after) assert.deepStrictEqual(one.checkpoint.again, progress.checkpoint.again)
    }))

  it("after a batch of entries is at the last of them, and never older than it was", () =>
    always((progress, poll) => {
      const entries = [NOW - 5, NOW - 9].map((createdAt, at) => ({
        xid: poll.horizon,
        id: String(at),
        key: at,
        createdAt
      }))
      const last = { xid: poll.horizon, id: "1", key: 1, createdAt: NOW - 9 }
      const after = afterEntries(progress, entries, last, poll)
      assert.deepInclude(after.checkpoint, { xid: last.xid, id: "1", notedAt: NOW, epoch: poll.epoch })
      assert.deepStrictEqual(after.checkpoint.witness, { xid: last.xid, id: "1", createdAt: NOW - 9 })
      assert.strictEqual(after.stored.indexedAt, Math.max(progress.stored.indexedAt, NOW - 5))
    }))

  it("tries a refused document at doubled distances, and no more once it was written", () =>
    always((progress) => {
      const first = firstRetry(51, NOW)
      assert.strictEqual(first.dueAt - NOW, INDEX_BACKOFF_MILLIS)
      const second = laterRetry(first, NOW)
      assert.strictEqual(second.dueAt - NOW, 2 * INDEX_BACKOFF_MILLIS)
      assert.strictEqual(laterRetry(second, NOW).dueAt - NOW, 4 * INDEX_BACKOFF_MILLIS)
      const kept = withRetries(progress, [...progress.checkpoint.again, second])
      assert.deepStrictEqual(retriesWithout(kept, [51]), progress.checkpoint.again)
      assert.deepInclude(retriesWithout(kept, [52]), second)
    }))
})

describe("an index beside a database", () => {
  it("is ahead of it exactly when the poll says so, or source or instance are others", () =>
    always((progress, poll, instance) => {
      const here = new Map([[1, progress]])
      assert.strictEqual(isAhead(here, poll), instance.ahead)
      assert.isTrue(isAhead(here, { ...poll, source: "another" }))
      assert.isTrue(isAhead(here, { ...poll, instances: [] }))
      assert.isFalse(isAhead(new Map(), poll))
    }))
})
