// How far a projection is in one instance: what it keeps about itself in the index, opaque to it.
import type { IndexCopy, IndexCheckpoint } from "@rapport/core/search/IndexCheckpoint.ts"
import { Effect, Schema } from "effect"
import type { OutboxClaim, OutboxPosition } from "../postgres/outbox/OutboxPostgres.ts"

const Retry = Schema.Struct({
  key: Schema.Finite,
  tries: Schema.Int,
  /** When the next try is due, and when its first entry was made, epoch milliseconds. */
  dueAt: Schema.Finite,
  since: Schema.Finite
})
/** A document that was refused, to be tried again. */
export type Retry = typeof Retry.Type

const Checkpoint = Schema.Struct({
  /** Identity of the database; another one makes everything that is there worthless. */
  source: Schema.String,
  /** Of the rebuild that this copy was made for. */
  generation: Schema.Finite,
  /** An epoch that the database had when this was written. */
  epoch: Schema.String,
  xid: Schema.String,
  id: Schema.String,
  /** The last outbox entry that was followed. */
  witness: Schema.NullOr(Schema.Struct({ xid: Schema.String, id: Schema.String, createdAt: Schema.Finite })),
  /** When that was seen, epoch milliseconds. */
  notedAt: Schema.Finite,
  /** A scan of all keys that is under way: the last key done, how many, of how many, and since when. */
  scan: Schema.NullOr(
    Schema.Struct({ after: Schema.Finite, built: Schema.Finite, total: Schema.Finite, since: Schema.Finite })
  ),
  /** Keys that the last scan took. */
  built: Schema.Finite,
  again: Schema.Array(Retry)
})
/** Everything up to the position is in the index, but for a scan under way and what failed (`again`). */
export type Checkpoint = typeof Checkpoint.Type

const json = Schema.fromJsonString(Checkpoint)
const encode = Schema.encodeSync(json)
const decode = Schema.decodeEffect(json)

/** Undefined: it was written by another version, and is of no use. */
export const decodeCheckpoint = (text: string): Effect.Effect<Checkpoint | undefined> =>
  decode(text).pipe(Effect.orElseSucceed(() => undefined))

/** Of one instance in one copy of the index: what the index holds of it (`stored`), and the same decoded. */
export interface ProjectionProgress {
  readonly copy: IndexCopy
  readonly stored: IndexCheckpoint
  readonly checkpoint: Checkpoint
}

/** By instance. */
export type Progresses = Map<number, ProjectionProgress>

export const progressOf = (
  copy: IndexCopy,
  stored: Omit<IndexCheckpoint, "checkpoint">,
  checkpoint: Checkpoint
): ProjectionProgress => ({ copy, checkpoint, stored: { ...stored, checkpoint: encode(checkpoint) } })

/** What the checkpoint says that the database had. */
const claimOf = (checkpoint: Checkpoint): OutboxClaim => ({
  position: positionOf(checkpoint),
  witness: checkpoint.witness,
  epoch: checkpoint.epoch
})

export const claimsOf = (progresses: Progresses): ReadonlyMap<number, OutboxClaim> =>
  new Map([...progresses].map(([id, { checkpoint }]) => [id, claimOf(checkpoint)] as const))

export const positionOf = ({ id, xid }: Checkpoint): OutboxPosition => ({ xid, id })

/** Since when a scan or another try is pending, which no outbox entry after the position shows; epoch milliseconds. */
export const pendingSince = (checkpoint: Checkpoint | undefined): ReadonlyArray<number> => [
  ...(checkpoint?.scan ? [checkpoint.scan.since] : []),
  ...(checkpoint?.again.map((one) => one.since) ?? [])
]
