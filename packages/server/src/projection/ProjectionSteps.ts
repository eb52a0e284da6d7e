// Does one piece of work of a projection in one instance (see Work.ts).
import type { DocumentSource } from "@rapport/core/search/DocumentSource.ts"
import { OUTBOX_BATCH_MAX } from "../postgres/outbox/OutboxLimits.ts"
import type { IndexCopy } from "@rapport/core/search/IndexCheckpoint.ts"
import { Effect } from "effect"
import type { Outbox, OutboxPoll } from "../postgres/outbox/OutboxPostgres.ts"
import type { Documents, StepFailure } from "./Documents.ts"
import { positionOf, type Progresses, type ProjectionProgress, type Retry } from "./ProjectionProgress.ts"
import {
  begun,
  followed,
  laterRetry,
  nextWork,
  noted,
  type PolledInstance,
  scanned,
  withRetries
} from "./Work.ts"

/** Tries of an outbox entry before its appeal goes to quarantine. */
const INDEX_TRIES_MAX = 5

export interface StepParts {
  readonly kind: string
  readonly outbox: Outbox
  readonly documents: Documents
  readonly source: DocumentSource
}

/** What a round did: whether any instance had work, but for notes, and how many entries of the outbox it followed in each. */
export interface Round {
  readonly worked: boolean
  readonly followed: ReadonlyArray<number>
}

/** One piece of work for every instance that has one. */
export const takeTurns = Effect.fnUntraced(function* (
  parts: StepParts,
  copy: IndexCopy,
  progresses: Progresses,
  poll: OutboxPoll
) {
  let worked = false
  const followed: Array<number> = []
  for (const instance of poll.instances) {
    const turn = yield* takeTurn(parts, copy, progresses.get(instance.id), poll, instance)
    if (turn.progress !== undefined) progresses.set(instance.id, turn.progress)
    worked = worked || turn.isWork
    followed.push(turn.followed)
  }
  return { worked, followed } satisfies Round
})

interface Turn {
  /** Undefined: nothing was done. */
  readonly progress: ProjectionProgress | undefined
  readonly isWork: boolean
  /** Entries of the outbox. */
  readonly followed: number
}

const takeTurn = (
  parts: StepParts,
  copy: IndexCopy,
  at: ProjectionProgress | undefined,
  poll: OutboxPoll,
  instance: PolledInstance
): Effect.Effect<Turn, StepFailure> => {
  const work = nextWork(at, poll, instance)
  const worked = Effect.map((progress: ProjectionProgress | undefined): Turn => ({
    progress,
    isWork: progress !== undefined,
    followed: 0
  }))
  if (work._tag === "Idle") return Effect.succeed({ progress: undefined, isWork: false, followed: 0 })
  if (at === undefined || (work._tag === "Scan" && work.begins)) {
    return worked(begin(parts, copy, at, poll, instance.id))
  }
  switch (work._tag) {
    case "Scan":
      return worked(scan(parts, at, poll))
    case "Follow":
      return follow(parts, at, poll)
    case "Retry":
      return worked(retry(parts, at, poll))
    case "Note":
      return Effect.map(parts.documents.move(at, noted(at, poll)), (progress) => ({
        progress,
        isWork: false,
        followed: 0
      }))
  }
}

const begin = Effect.fnUntraced(function* (
  { documents, outbox, source }: StepParts,
  copy: IndexCopy,
  before: ProjectionProgress | undefined,
  poll: OutboxPoll,
  instanceId: number
) {
  const total = yield* source.count(instanceId)
  const to = begun(copy, poll, { instanceId, total, epoch: yield* outbox.newEpoch }, before)
  return yield* documents.move(before, to)
})

const scan = Effect.fnUntraced(function* (
  { documents, source }: StepParts,
  at: ProjectionProgress,
  poll: OutboxPoll
) {
  const after = at.checkpoint.scan?.after ?? 0
  const keys = yield* source.idsAfter(at.stored.instanceId, after, OUTBOX_BATCH_MAX)
  const to = scanned(at, keys, poll)
  return keys.length === 0 ? yield* documents.move(at, to) : yield* documents.write(at, to, keys, poll.now)
})

const follow = Effect.fnUntraced(function* (
  { documents, outbox }: StepParts,
  at: ProjectionProgress,
  poll: OutboxPoll
) {
  const entries = yield* outbox.next(at.stored.instanceId, positionOf(at.checkpoint))
  const last = entries.at(-1)
  if (last === undefined) return { progress: undefined, isWork: false, followed: 0 } satisfies Turn
  const keys = [...new Set(entries.map((one) => one.key))]
  const progress = yield* documents.write(at, followed(at, entries, last, poll), keys, poll.now)
  return { progress, isWork: true, followed: entries.length } satisfies Turn
})

const retry = Effect.fnUntraced(function* (
  { documents, kind, outbox }: StepParts,
  at: ProjectionProgress,
  { now }: OutboxPoll
) {
  const again: Array<Retry> = []
  for (const one of at.checkpoint.again) {
    if (one.dueAt > now) {
      again.push(one)
      continue
    }
    const reason = yield* documents.tryOne(at, one.key)
    if (reason === undefined) continue
    const later = laterRetry(one, now)
    if (later.tries < INDEX_TRIES_MAX) {
      again.push(later)
    } else {
      // The row of the quarantine is an outbox entry itself: following it, every process drops the document.
      yield* Effect.logError(`${kind} ${one.key} goes to quarantine after ${later.tries} tries: ${reason}`)
      yield* outbox.quarantine(at.stored.instanceId, one.key, reason, later.tries)
    }
  }
  return yield* documents.move(at, withRetries(at, again))
})
