// Keeps one index in step with the database: polls the outbox, does what is next in every instance, obeys rebuilds, and goes
// on after whatever failed. Instances take turns, so that the import of one delays no other.
import type { DocumentProjection } from "@rapport/core/search/DocumentProjection.ts"
import type { DocumentSource } from "@rapport/core/search/DocumentSource.ts"
import { OUTBOX_GATHER_MILLIS, STATUS_MILLIS } from "./ProjectionLimits.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { IndexCopy } from "@rapport/core/search/IndexCheckpoint.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Clock, Deferred, Effect, PubSub, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { outboxOf, type Outbox, type OutboxPoll } from "../postgres/outbox/OutboxPostgres.ts"
import { makeDocuments } from "./Documents.ts"
import { claimsOf, decodeCheckpoint, pendingSince, type Progresses } from "./ProjectionProgress.ts"
import { keepRunning } from "./ProjectionRetries.ts"
import { type ProjectionState, reportStatus } from "./ProjectionStatus.ts"
import { type StepParts, takeTurns } from "./ProjectionSteps.ts"
import { hasRetries, isAhead, isDone, isRebuildWanted, pauseMillis } from "./Work.ts"

/** How often the outbox is polled without a notification. */
const OUTBOX_POLL_MILLIS = 250
/** How often it is polled while an open transaction holds a change back. */
const OUTBOX_HELD_MILLIS = 20

/** What is projected: keys of one kind of the outbox into one index. */
interface Projected {
  /** Of the rows in outbox, quarantine, status and rebuilds. */
  readonly kind: string
  readonly index: DocumentProjection
  readonly source: DocumentSource
  /** How long a start waits for the first poll: an index that does not answer does not delay the start further. */
  readonly firstPollMillisMax: number
  /** Whether this process is to write now: an index that several share has one writer, the others read. */
  readonly writes: Effect.Effect<boolean>
}

export interface Projection {
  readonly state: ProjectionState
  readonly outbox: Outbox
  /** How far an instance is in the active copy: of an index that another process writes, as it is now. */
  readonly progress: (instanceId: number) => Effect.Effect<ReturnType<Progresses["get"]>, SourceUnavailable>
}

/** Runs until the scope closes. */
export const runProjection: (
  projected: Projected
) => Effect.Effect<Projection, never, SqlClient.SqlClient | OutboxSignal | Scope.Scope> = Effect.fnUntraced(
  function* (projected) {
    const { index, kind, source } = projected
    const outbox = yield* outboxOf(kind)
    const notifications = yield* (yield* OutboxSignal).notifications
    const state: ProjectionState = {
      active: new Map(),
      building: undefined,
      waiting: new Map(),
      polls: 0,
      idlePoll: 0,
      trusted: false
    }
    const polled = yield* Deferred.make<void>()
    yield* index.serve(false)
    const run: Run = {
      ...projected,
      outbox,
      state,
      documents: makeDocuments(kind, index, source),
      notified: PubSub.take(notifications),
      polled: Deferred.succeed(polled, undefined)
    }
    yield* Effect.forkScoped(loop(run))
    yield* reportStatus({ kind, engine: index.engine }, outbox, state)
    // What was served before is served from the first request on.
    yield* Effect.raceFirst(Deferred.await(polled), Effect.sleep(projected.firstPollMillisMax))
    return {
      state,
      outbox,
      progress: Effect.fnUntraced(function* (instanceId) {
        const active = (yield* projected.writes) ? state.active : yield* load(run, "active")
        return active.get(instanceId)
      })
    }
  }
)

/** What the loop works with. */
interface Run extends Projected, StepParts {
  readonly state: ProjectionState
  readonly notified: Effect.Effect<void>
  /** Done with the first poll, however it ended. */
  readonly polled: Effect.Effect<unknown>
}

const loop = (run: Run) =>
  keepRunning(run.kind, {
    // A connection that broke may lead to another database now.
    resume: Effect.gen(function* () {
      yield* run.outbox.adopt
      yield* reload(run)
      yield* rounds(run)
    }),
    goOn: Effect.gen(function* () {
      if (yield* isMoved(run)) yield* reload(run)
      yield* rounds(run)
    }),
    failed: Effect.fnUntraced(function* (isOfDatabase) {
      yield* run.polled
      if (isOfDatabase) yield* trust(run, false)
    })
  })

const reload = Effect.fnUntraced(function* (run: Run) {
  run.state.building = undefined
  run.state.active = yield* load(run, "active")
})

const load = Effect.fnUntraced(function* ({ index, writes }: Projected, copy: IndexCopy) {
  const progresses: Progresses = new Map()
  for (const stored of yield* index.checkpoints(copy)) {
    const checkpoint = yield* decodeCheckpoint(stored.checkpoint)
    if (checkpoint === undefined) {
      if (yield* writes) yield* index.reset(copy)
      const none: Progresses = new Map()
      return none
    }
    progresses.set(stored.instanceId, { copy, stored, checkpoint })
  }
  return progresses
})

// The file was deleted, or another process wrote to it.
const isMoved = Effect.fnUntraced(function* ({ index, state }: Run) {
  const checkpoints = yield* index.checkpoints("active")
  return (
    checkpoints.length !== state.active.size ||
    checkpoints.some((stored) => state.active.get(stored.instanceId)?.stored.checkpoint !== stored.checkpoint)
  )
})

/** Searches are answered only while the database is seen to have all that the index claims. */
const trust = ({ index, state }: Run, isTrusted: boolean) =>
  Effect.suspend(() => {
    if (state.trusted === isTrusted) return Effect.void
    state.trusted = isTrusted
    return index.serve(isTrusted)
  })

/** Round after round for STATUS_MILLIS, so that a lost index is noticed. */
const rounds = Effect.fnUntraced(function* (run: Run) {
  const begun = yield* Clock.currentTimeMillis
  const isTime = Effect.map(Clock.currentTimeMillis, (now) => now - begun < STATUS_MILLIS)
  const round = Effect.suspend(() => {
    const number = ++run.state.polls
    return Effect.flatMap(run.writes, (writes) => (writes ? write(run, number) : read(run, number)))
  })
  yield* Effect.repeat(round, { while: () => isTime })
})

// What the writing process has done so far, and what is pending there.
const read = Effect.fnUntraced(function* (run: Run, number: number) {
  const { notified, outbox, polled, state } = run
  yield* reload(run)
  const poll = yield* outbox.poll(claimsOf(state.active))
  // The process that writes rebuilds it.
  yield* trust(run, !isAhead(state.active, poll))
  yield* observe(run, poll)
  if (isDone(state.active, poll) && !hasRetries(state.active)) state.idlePoll = number
  yield* polled
  yield* Effect.raceFirst(notified, Effect.sleep(OUTBOX_POLL_MILLIS))
})

const write = Effect.fnUntraced(function* (run: Run, number: number) {
  const { index, kind, notified, outbox, polled, state } = run
  const poll = yield* outbox.poll(claimsOf(state.active))
  if (isAhead(state.active, poll)) {
    yield* trust(run, false)
    yield* Effect.logWarning(
      `the ${kind} index is of another database, or of a later state of it: it is rebuilt`
    )
    yield* outbox.adopt
    yield* index.reset("active")
    state.active = new Map()
    return
  }
  yield* trust(run, true)
  yield* polled
  yield* observe(run, poll)
  const { followed, worked } = yield* takeTurns(run, "active", state.active, poll)
  if (yield* rebuild(run, poll)) return
  if (worked) return yield* Effect.sleep(pauseMillis(state.active, followed))
  if (poll.instances.every((one) => one.waitingSince === null)) state.idlePoll = number
  if (hasRetries(state.active)) state.idlePoll = 0
  const held = poll.instances.some((one) => one.waitingSince !== null && !one.due)
  // What comes one after the other is polled together; a change that comes alone is not kept waiting.
  yield* Effect.sleep(OUTBOX_GATHER_MILLIS)
  yield* Effect.raceFirst(notified, Effect.sleep(held ? OUTBOX_HELD_MILLIS : OUTBOX_POLL_MILLIS))
})

const observe = Effect.fnUntraced(function* ({ index, state }: Run, poll: OutboxPoll) {
  state.waiting = new Map()
  for (const { id, waitingSince } of poll.instances) {
    const since = pendingSince(state.active.get(id)?.checkpoint)
    const all = waitingSince === null ? since : [waitingSince, ...since]
    const oldest = all.length === 0 ? null : Math.min(...all)
    state.waiting.set(id, oldest)
    yield* index.observe(id, oldest)
  }
})

/** Builds the copy that a rebuild or a newer format asks for, beside the active one; true while there is work for it. */
const rebuild = Effect.fnUntraced(function* (run: Run, poll: OutboxPoll) {
  const { index, kind, outbox, state } = run
  const outdated = yield* index.outdated
  if (!outdated && !isRebuildWanted(state.active, poll)) {
    state.building = undefined
    return false
  }
  const building = state.building ?? (yield* buildingFor(run, poll, outdated))
  state.building = building
  const after = yield* outbox.poll(claimsOf(building))
  const { worked } = yield* takeTurns(run, "building", building, after)
  if (worked) return true
  if (!isDone(building, after)) return false
  yield* index.publish
  yield* Effect.logInfo(`the ${kind} index is rebuilt and active now`)
  yield* reload(run)
  return true
})

/** The copy that an earlier process left half built, or an empty one. */
const buildingFor = Effect.fnUntraced(function* (run: Run, poll: OutboxPoll, outdated: boolean) {
  const left = yield* load(run, "building")
  const isUsable =
    left.size > 0 &&
    [...left.values()].every(({ checkpoint }) => checkpoint.generation === poll.generation) &&
    !isAhead(left, yield* run.outbox.poll(claimsOf(left)))
  if (isUsable) return left
  const why = outdated ? ", which is of an older format and answers until then" : ""
  yield* Effect.logInfo(`rebuilding the ${run.kind} index beside the active one${why}`)
  yield* run.index.reset("building")
  const none: Progresses = new Map()
  return none
})
