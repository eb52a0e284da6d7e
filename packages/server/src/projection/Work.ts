// What a projection does next in one instance, and how far it is after that: values alone, no database and no index.
import { OUTBOX_BATCH_MAX } from "../postgres/outbox/OutboxLimits.ts"
import {
  INDEX_BACKOFF_MILLIS,
  OUTBOX_CROWD_GATHER_MILLIS,
  OUTBOX_CROWD_MIN,
  OUTBOX_GATHER_MILLIS,
  POSITION_NOTED_MILLIS
} from "./ProjectionLimits.ts"
import type { IndexCopy } from "@rapport/core/search/IndexCheckpoint.ts"
import type { OutboxEntry, OutboxPoll } from "../postgres/outbox/OutboxPostgres.ts"
import {
  type Checkpoint,
  progressOf,
  type Progresses,
  type ProjectionProgress,
  type Retry
} from "./ProjectionProgress.ts"

export type PolledInstance = OutboxPoll["instances"][number]

type Work =
  /** A page of all keys; `begins`: no scan is under way yet. */
  | { readonly _tag: "Scan"; readonly begins: boolean }
  /** The next batch of the outbox. */
  | { readonly _tag: "Follow" }
  /** What was refused and is due. */
  | { readonly _tag: "Retry" }
  /** Writes down that nothing is pending up to the horizon. */
  | { readonly _tag: "Note" }
  | { readonly _tag: "Idle" }

type Row = readonly [
  work: Work,
  applies: (checkpoint: Checkpoint, poll: OutboxPoll, instance: PolledInstance) => boolean
]

/** Of an instance that is in the index already; the first row that applies. */
const rows: ReadonlyArray<Row> = [
  [{ _tag: "Scan", begins: true }, ({ scan }, _, { missed }) => missed && scan === null],
  [{ _tag: "Retry" }, ({ again }, { now }) => again.some(({ dueAt }) => dueAt <= now)],
  [{ _tag: "Scan", begins: false }, ({ scan }) => scan !== null],
  [{ _tag: "Follow" }, (_, __, { due }) => due],
  [{ _tag: "Note" }, (checkpoint, poll, { waitingSince }) => waitingSince === null && isOld(checkpoint, poll)]
]

export const nextWork = (
  progress: ProjectionProgress | undefined,
  poll: OutboxPoll,
  instance: PolledInstance
): Work => {
  if (progress === undefined) return { _tag: "Scan", begins: true }
  const row = rows.find(([, applies]) => applies(progress.checkpoint, poll, instance))
  return row?.[0] ?? { _tag: "Idle" }
}

// A position that nothing moves any more would one day lie behind what the sweep of the outbox has deleted.
const isOld = ({ notedAt, xid }: Checkpoint, { horizon, now }: OutboxPoll): boolean =>
  BigInt(horizon) > BigInt(xid) && now - notedAt > POSITION_NOTED_MILLIS

/** Whether something that is written down as done in the index was never done in this database. */
export const isAhead = (progresses: Progresses, poll: OutboxPoll): boolean =>
  [...progresses.values()].some(({ checkpoint }) => checkpoint.source !== poll.source) ||
  poll.instances.some(({ ahead, id }) => ahead && progresses.has(id)) ||
  // Instances are never deleted.
  [...progresses.keys()].some((id) => poll.instances.every((instance) => instance.id !== id))

/**
 * The pause after a round with work, in milliseconds, by how many entries it followed in each instance: what comes meanwhile is
 * polled, read and indexed together, which costs little more than one entry does. None while something is left to do.
 */
export const pauseMillis = (progresses: Progresses, followed: ReadonlyArray<number>): number => {
  const isLeft =
    followed.some((count) => count >= OUTBOX_BATCH_MAX) ||
    [...progresses.values()].some(({ checkpoint }) => checkpoint.scan !== null)
  if (isLeft) return 0
  const all = followed.reduce((sum, count) => sum + count, 0)
  return all < OUTBOX_CROWD_MIN ? OUTBOX_GATHER_MILLIS : OUTBOX_CROWD_GATHER_MILLIS
}

/** Nothing is pending in any instance, as the poll saw it. */
export const isDone = (progresses: Progresses, poll: OutboxPoll): boolean =>
  poll.instances.every(
    ({ id, waitingSince }) => waitingSince === null && progresses.get(id)?.stored.complete === true
  )

export const hasRetries = (progresses: Progresses): boolean =>
  [...progresses.values()].some(({ checkpoint }) => checkpoint.again.length > 0)

/** Whether a rebuild is asked for that the copy was not made for. */
export const isRebuildWanted = (progresses: Progresses, { generation }: OutboxPoll): boolean =>
  [...progresses.values()].some(({ checkpoint }) => checkpoint.generation < generation)

/** A scan from the beginning; `epoch` is of now: nothing else in a state from before this scan may be missing. */
export const begun = (
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
    built: 0,
    again: before?.checkpoint.again ?? []
  })

/** After a page of the scan; without keys it is the end of the scan. */
export const scanned = (
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

/** After the entries, of which `last` is the last. */
export const followed = (
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

export const noted = (
  { checkpoint, copy, stored }: ProjectionProgress,
  { epoch, horizon, now }: OutboxPoll
): ProjectionProgress =>
  progressOf(copy, stored, { ...checkpoint, epoch, xid: horizon, id: "0", notedAt: now })

/** With other documents to try again. */
export const withRetries = (
  { checkpoint, copy, stored }: ProjectionProgress,
  again: ReadonlyArray<Retry>
): ProjectionProgress => progressOf(copy, stored, { ...checkpoint, again })

/** Those that stay when the keys were written. */
export const retriesWithout = (
  { checkpoint }: ProjectionProgress,
  keys: ReadonlyArray<number>
): ReadonlyArray<Retry> => checkpoint.again.filter((one) => !keys.includes(one.key))

export const firstRetry = (key: number, now: number): Retry => ({
  key,
  tries: 1,
  dueAt: now + INDEX_BACKOFF_MILLIS,
  since: now
})

/** The same a try later. */
export const laterRetry = (one: Retry, now: number): Retry => ({
  ...one,
  tries: one.tries + 1,
  dueAt: now + INDEX_BACKOFF_MILLIS * 2 ** one.tries
})
