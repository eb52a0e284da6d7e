// What a projection keeps in its index about itself: from which database, how far, and what it has to try again.
import { Effect, Schema } from "effect"
import type { OutboxClaim, OutboxPlace } from "../postgres/outbox/OutboxPostgres.ts"

const Again = Schema.Struct({
  key: Schema.Finite,
  tries: Schema.Int,
  /** When the next try is due, and when its first obligation was made, epoch milliseconds. */
  dueAt: Schema.Finite,
  since: Schema.Finite
})
export type Again = typeof Again.Type

const Checkpoint = Schema.Struct({
  /** Identity of the database; another one makes everything that is there worthless. */
  source: Schema.String,
  /** Of the rebuild that this copy was made for. */
  generation: Schema.Finite,
  /** An epoch that the database had when this was written. */
  epoch: Schema.String,
  xid: Schema.String,
  id: Schema.String,
  /** The last obligation that was followed. */
  witness: Schema.NullOr(Schema.Struct({ xid: Schema.String, id: Schema.String, createdAt: Schema.Finite })),
  /** When that was seen, epoch milliseconds. */
  notedAt: Schema.Finite,
  /** A scan of all keys that is under way: the last key done, how many, of how many, and since when. */
  scan: Schema.NullOr(
    Schema.Struct({ after: Schema.Finite, built: Schema.Finite, total: Schema.Finite, since: Schema.Finite })
  ),
  /** Keys that the last scan took. */
  built: Schema.Finite,
  again: Schema.Array(Again)
})
/** Where one instance stands: everything up to the place is in, but for a scan under way and what failed. */
export type ProjectionCheckpoint = typeof Checkpoint.Type

const json = Schema.fromJsonString(Checkpoint)
const encode = Schema.encodeSync(json)
const decode = Schema.decodeEffect(json)

export const encodeCheckpoint = (checkpoint: ProjectionCheckpoint): string => encode(checkpoint)

/** Undefined: it was written by another version, and is of no use. */
export const decodeCheckpoint = (text: string): Effect.Effect<ProjectionCheckpoint | undefined> =>
  decode(text).pipe(Effect.orElseSucceed(() => undefined))

/** What the checkpoint says that the database had. */
export const claimOf = (checkpoint: ProjectionCheckpoint): OutboxClaim => ({
  place: placeOf(checkpoint),
  witness: checkpoint.witness,
  epoch: checkpoint.epoch
})

export const placeOf = ({ id, xid }: ProjectionCheckpoint): OutboxPlace => ({ xid, id })
