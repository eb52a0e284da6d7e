// The progress of a projection in one instance, stored in the index as opaque text.
import type { IndexCopy, IndexCheckpoint } from "@rapport/core/search/IndexCheckpoint.ts"
import { Effect, Schema } from "effect"
import type { OutboxClaim, OutboxPosition } from "../postgres/outbox/OutboxPostgres.ts"

const Checkpoint = Schema.Struct({
  /** Identity of the database; with another one the index is worthless. */
  source: Schema.String,
  /** The rebuild that this copy was built for. */
  generation: Schema.Finite,
  /** The epoch of the database when this was written. */
  epoch: Schema.String,
  xid: Schema.String,
  id: Schema.String,
  /** The last indexed outbox entry. */
  witness: Schema.NullOr(Schema.Struct({ xid: Schema.String, id: Schema.String, createdAt: Schema.Finite })),
  /** When the position was last moved, epoch milliseconds. */
  notedAt: Schema.Finite,
  /** The running scan of all keys: last key done, keys done, keys in total, start time. */
  scan: Schema.NullOr(
    Schema.Struct({ after: Schema.Finite, built: Schema.Finite, total: Schema.Finite, since: Schema.Finite })
  ),
  /** Keys indexed by the last scan. */
  built: Schema.Finite
})
/** Everything up to the position is in the index, except the rest of a running scan. */
export type Checkpoint = typeof Checkpoint.Type

const json = Schema.fromJsonString(Checkpoint)
const encode = Schema.encodeSync(json)
const decode = Schema.decodeEffect(json)

/** Undefined: another version wrote it, so it is unusable. */
export const decodeCheckpoint = (text: string): Effect.Effect<Checkpoint | undefined> =>
  decode(text).pipe(Effect.orElseSucceed(() => undefined))

/** The checkpoint of one instance in one copy: as stored in the index, and decoded. */
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

/** The rows that the database must contain if the checkpoint belongs to it. */
const claimOf = (checkpoint: Checkpoint): OutboxClaim => ({
  position: positionOf(checkpoint),
  witness: checkpoint.witness,
  epoch: checkpoint.epoch
})

export const claimsOf = (progresses: Progresses): ReadonlyMap<number, OutboxClaim> =>
  new Map([...progresses].map(([id, { checkpoint }]) => [id, claimOf(checkpoint)] as const))

export const positionOf = ({ id, xid }: Checkpoint): OutboxPosition => ({ xid, id })
