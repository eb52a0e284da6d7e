// Executes one step of a projection in one instance (Work.ts decides which).
import type { DocumentSource } from "@rapport/core/search/DocumentSource.ts"
import { OUTBOX_BATCH_MAX } from "../postgres/outbox/OutboxLimits.ts"
import type { IndexCopy } from "@rapport/core/search/IndexCheckpoint.ts"
import { Effect } from "effect"
import type { Outbox, OutboxPoll } from "../postgres/outbox/OutboxPostgres.ts"
import type { Documents, StepFailure } from "./Documents.ts"
import { positionOf, type Progresses, type ProjectionProgress } from "./ProjectionProgress.ts"
import { atScanStart, afterEntries, nextWork, atHorizon, type PolledInstance, afterScanPage } from "./Work.ts"

export interface StepParts {
  readonly outbox: Outbox
  readonly documents: Documents
  readonly source: DocumentSource
}

/** Whether any instance had work (notes do not count), and how many outbox entries each instance indexed. */
export interface Round {
  readonly worked: boolean
  readonly followed: ReadonlyArray<number>
}

/** One step in every instance that has work. */
export const advanceInstances = Effect.fnUntraced(function* (
  parts: StepParts,
  copy: IndexCopy,
  progresses: Progresses,
  poll: OutboxPoll
) {
  let worked = false
  const followed: Array<number> = []
  for (const instance of poll.instances) {
    const step = yield* advanceInstance(parts, copy, progresses.get(instance.id), poll, instance)
    if (step.progress !== undefined) progresses.set(instance.id, step.progress)
    worked = worked || step.isWork
    followed.push(step.followed)
  }
  return { worked, followed } satisfies Round
})

interface InstanceStep {
  /** Undefined: nothing was done. */
  readonly progress: ProjectionProgress | undefined
  readonly isWork: boolean
  /** Indexed outbox entries. */
  readonly followed: number
}

const advanceInstance = (
  parts: StepParts,
  copy: IndexCopy,
  at: ProjectionProgress | undefined,
  poll: OutboxPoll,
  instance: PolledInstance
): Effect.Effect<InstanceStep, StepFailure> => {
  const work = nextWork(at, poll, instance)
  const worked = Effect.map((progress: ProjectionProgress | undefined): InstanceStep => ({
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
    case "Note":
      return Effect.map(parts.documents.move(at, atHorizon(at, poll)), (progress) => ({
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
  if (last === undefined) return { progress: undefined, isWork: false, followed: 0 } satisfies InstanceStep
  const keys = [...new Set(entries.map((one) => one.key))]
  const progress = yield* documents.write(at, afterEntries(at, entries, last, poll), keys)
  return { progress, isWork: true, followed: entries.length } satisfies InstanceStep
})
