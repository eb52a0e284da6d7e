// Executes one step of a projection in one instance (Work.ts decides which).
import type { DocumentSource } from "@rapport/core/search/DocumentSource.ts"
import type { IndexCopy } from "@rapport/core/search/IndexCheckpoint.ts"
import { Effect } from "effect"
import { type Outbox, OUTBOX_BATCH_MAX, type OutboxPoll } from "../postgres/outbox/OutboxPostgres.ts"
import type { Documents, StepFailure } from "./Documents.ts"
import { positionOf, type Progresses, type ProjectionProgress } from "./ProjectionProgress.ts"
import { atScanStart, afterEntries, nextWork, atHorizon, type PolledInstance, afterScanPage } from "./Work.ts"

export interface StepParts {
  readonly outbox: Outbox
  readonly documents: Documents
  readonly source: DocumentSource
}

/** One step in every instance that has work. Returns the number of outbox entries that each of these instances indexed. */
export const advanceInstances = Effect.fnUntraced(function* (
  parts: StepParts,
  copy: IndexCopy,
  progresses: Progresses,
  poll: OutboxPoll
) {
  const followed: Array<number> = []
  for (const instance of poll.instances) {
    const step = yield* advanceInstance(parts, copy, progresses.get(instance.id), poll, instance)
    if (step === undefined) continue
    progresses.set(instance.id, step.progress)
    followed.push(step.followed)
  }
  return followed
})

interface InstanceStep {
  readonly progress: ProjectionProgress
  /** Indexed outbox entries. */
  readonly followed: number
}

/** Undefined: nothing was done. */
const advanceInstance = (
  parts: StepParts,
  copy: IndexCopy,
  at: ProjectionProgress | undefined,
  poll: OutboxPoll,
  instance: PolledInstance
): Effect.Effect<InstanceStep | undefined, StepFailure> => {
  const withoutEntries = Effect.map((progress: ProjectionProgress) => ({ progress, followed: 0 }))
  if (at === undefined) return withoutEntries(begin(parts, copy, at, poll, instance.id))
  switch (nextWork(at, poll, instance)) {
    case "begin":
      return withoutEntries(begin(parts, copy, at, poll, instance.id))
    case "scan":
      return withoutEntries(scan(parts, at, poll))
    case "follow":
      return follow(parts, at, poll)
    case "note":
      return withoutEntries(parts.documents.move(at, atHorizon(at, poll)))
    case "idle":
      return Effect.undefined
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
  const to = atScanStart(copy, poll, { instanceId, total, epoch: yield* outbox.newEpoch }, before)
  return yield* documents.move(before, to)
})

const scan = Effect.fnUntraced(function* (
  { documents, source }: StepParts,
  at: ProjectionProgress,
  poll: OutboxPoll
) {
  const after = at.checkpoint.scan?.after ?? 0
  const keys = yield* source.idsAfter(at.stored.instanceId, after, OUTBOX_BATCH_MAX)
  const to = afterScanPage(at, keys, poll)
  return keys.length === 0 ? yield* documents.move(at, to) : yield* documents.write(at, to, keys)
})

const follow = Effect.fnUntraced(function* (
  { documents, outbox }: StepParts,
  at: ProjectionProgress,
  poll: OutboxPoll
) {
  const entries = yield* outbox.next(at.stored.instanceId, positionOf(at.checkpoint))
  const last = entries.at(-1)
  if (last === undefined) return undefined
  const keys = [...new Set(entries.map((one) => one.key))]
  const progress = yield* documents.write(at, afterEntries(at, entries, last, poll), keys)
  return { progress, followed: entries.length }
})
