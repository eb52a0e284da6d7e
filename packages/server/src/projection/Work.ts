// Decides the next step of a projection in one instance; pure.
import { OUTBOX_BATCH_MAX } from "../postgres/outbox/OutboxPostgres.ts"
import type { IndexCopy } from "@rapport/core/search/IndexCheckpoint.ts"
import type { OutboxEntry, OutboxPoll } from "../postgres/outbox/OutboxPostgres.ts"
import {
  type Checkpoint,
  progressOf,
  type Progresses,
  type ProjectionProgress
} from "./ProjectionProgress.ts"

/** The pause after a poll, so that writes in quick succession are indexed together. */
export const OUTBOX_GATHER_MILLIS = 20
/** The pause after a poll that found at least OUTBOX_BUSY_MIN entries. */
const OUTBOX_BUSY_GATHER_MILLIS = 100
const OUTBOX_BUSY_MIN = 8
/** How often an idle index advances its position, so that no sweep of the outbox overtakes it. */
const POSITION_REFRESH_MILLIS = 300_000

export type PolledInstance = OutboxPoll["instances"][number]

/**
 * `begin`: start a scan of all keys; `scan`: index a page of it; `follow`: index the next batch of the outbox; `note`: move the
 * checkpoint to the horizon, up to which nothing is pending.
 */
type Work = "begin" | "scan" | "follow" | "note" | "idle"

/** The next work of an instance that is in the index. */
export const nextWork = (
  { checkpoint }: ProjectionProgress,
  poll: OutboxPoll,
  { due, missed, waitingSince }: PolledInstance
): Work => {
  if (checkpoint.scan !== null) return "scan"
  if (missed) return "begin"
  if (due) return "follow"
  return waitingSince === null && isOld(checkpoint, poll) ? "note" : "idle"
}

// Without a refresh the sweep of the outbox would overtake the position of an idle index.
const isOld = ({ notedAt, xid }: Checkpoint, { horizon, now }: OutboxPoll): boolean =>
  BigInt(horizon) > BigInt(xid) && now - notedAt > POSITION_REFRESH_MILLIS

/** Whether the index contains a state that this database never had. */
export const isAhead = (progresses: Progresses, poll: OutboxPoll): boolean =>
  [...progresses.values()].some(({ checkpoint }) => checkpoint.source !== poll.source) ||
  poll.instances.some(({ ahead, id }) => ahead && progresses.has(id)) ||
  // Instances are never deleted.
  [...progresses.keys()].some((id) => poll.instances.every((instance) => instance.id !== id))

/**
 * Milliseconds to pause after a round, by the number of entries that each instance indexed. Entries that arrive in the pause
 * are indexed together, which costs little more than one entry. 0 while work is left.
 */
export const pauseMillis = (progresses: Progresses, followed: ReadonlyArray<number>): number => {
  const isLeft =
    followed.some((count) => count >= OUTBOX_BATCH_MAX) ||
    [...progresses.values()].some(({ checkpoint }) => checkpoint.scan !== null)
  if (isLeft) return 0
  const all = followed.reduce((sum, count) => sum + count, 0)
  return all < OUTBOX_BUSY_MIN ? OUTBOX_GATHER_MILLIS : OUTBOX_BUSY_GATHER_MILLIS
}

/** Nothing is pending in any instance, as the poll saw it. */
export const isDone = (progresses: Progresses, poll: OutboxPoll): boolean =>
  poll.instances.every(
    ({ id, waitingSince }) => waitingSince === null && progresses.get(id)?.stored.complete === true
  )

/** Whether a rebuild is requested that this copy does not belong to. */
export const isRebuildWanted = (progresses: Progresses, { generation }: OutboxPoll): boolean =>
  [...progresses.values()].some(({ checkpoint }) => checkpoint.generation < generation)

/** A scan from the beginning. `epoch` must be current, so that an earlier state of the database is detected. */
export const atScanStart = (
  copy: IndexCopy,
  poll: OutboxPoll,
  {
    epoch,
    instanceId,
    total
  }: { readonly instanceId: number; readonly total: number; readonly epoch: string },
  before: ProjectionProgress | undefined
): ProjectionProgress =>
  progressOf(copy, before?.stored ?? { instanceId, complete: false, indexedAt: 0 }, {
    source: poll.source,
    epoch,
    generation: before?.checkpoint.generation ?? poll.generation,
    xid: poll.horizon,
    id: "0",
    witness: null,
    notedAt: poll.now,
    scan: { after: 0, built: 0, total, since: poll.now },
    built: 0
  })

/** The progress after a page of the scan; no keys: the scan has ended. */
export const afterScanPage = (
  { checkpoint, copy, stored }: ProjectionProgress,
  keys: ReadonlyArray<number>,
  poll: OutboxPoll
): ProjectionProgress => {
  const scan = checkpoint.scan ?? { after: 0, built: 0, total: 0, since: poll.now }
  const last = keys.at(-1)
  if (last === undefined) {
    const indexedAt = Math.max(stored.indexedAt, scan.since)
    const done = { ...checkpoint, scan: null, built: scan.built }
    return progressOf(copy, { ...stored, complete: true, indexedAt }, done)
  }
  const built = scan.built + keys.length
  const further = { ...scan, after: last, built, total: Math.max(scan.total, built) }
  return progressOf(copy, stored, { ...checkpoint, scan: further })
}

/** The progress after the entries; `last` is the last of them. */
export const afterEntries = (
  { checkpoint, copy, stored }: ProjectionProgress,
  entries: ReadonlyArray<OutboxEntry>,
  last: OutboxEntry,
  poll: OutboxPoll
): ProjectionProgress =>
  progressOf(
    copy,
    { ...stored, indexedAt: entries.reduce((at, one) => Math.max(at, one.createdAt), stored.indexedAt) },
    {
      ...checkpoint,
      epoch: poll.epoch,
      xid: last.xid,
      id: last.id,
      witness: { xid: last.xid, id: last.id, createdAt: last.createdAt },
      notedAt: poll.now
    }
  )

export const atHorizon = (
  { checkpoint, copy, stored }: ProjectionProgress,
  { epoch, horizon, now }: OutboxPoll
): ProjectionProgress =>
  progressOf(copy, stored, { ...checkpoint, epoch, xid: horizon, id: "0", notedAt: now })
