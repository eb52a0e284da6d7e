// The loop that keeps one index up to date with the database. Instances alternate, so that an import of one delays no other.
import type { DocumentProjection } from "@rapport/core/search/DocumentProjection.ts"
import type { DocumentSource } from "@rapport/core/search/DocumentSource.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { IndexCopy } from "@rapport/core/search/IndexCheckpoint.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Clock, Deferred, Effect, PubSub, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { outboxOf, type Outbox, type OutboxPoll } from "../postgres/outbox/OutboxPostgres.ts"
import { makeDocuments } from "./Documents.ts"
import { claimsOf, decodeCheckpoint, type Progresses } from "./ProjectionProgress.ts"
import { keepRunning } from "./ProjectionRetries.ts"
import { type ProjectionState, reportStatus, STATUS_MILLIS } from "./ProjectionStatus.ts"
import { type StepParts, advanceInstances } from "./ProjectionSteps.ts"
import { isAhead, isDone, isRebuildWanted, OUTBOX_GATHER_MILLIS, pauseMillis } from "./Work.ts"

/** How often the outbox is polled without a notification. */
const OUTBOX_POLL_MILLIS = 250
/** How often it is polled while an open transaction delays an entry. */
const OUTBOX_BLOCKED_POLL_MILLIS = 20

/** The projection of one kind of outbox entries into one index. */
interface Projected {
  /** The kind of the rows in outbox, quarantine, status and rebuilds. */
  readonly kind: string
  readonly index: DocumentProjection
  readonly source: DocumentSource
  /** How long a start waits for the first poll, so that an unavailable index does not block it. */
  readonly firstPollMillisMax: number
  /** Whether this process writes now: a shared index has one writer, the other processes read. */
  readonly writes: Effect.Effect<boolean>
}

export interface Projection {
  readonly state: ProjectionState
  readonly outbox: Outbox
  /** The progress of an instance in the active copy, read from the index if another process writes it. */
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
      documents: makeDocuments(kind, index, source, outbox),
      notified: PubSub.take(notifications),
      polled: Deferred.succeed(polled, undefined)
    }
    yield* Effect.forkScoped(loop(run))
    yield* reportStatus({ kind, engine: index.engine }, outbox, state)
    // An index that was active before answers from the first request on.
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

/** The parts of the loop. */
interface Run extends Projected, StepParts {
  readonly state: ProjectionState
  readonly notified: Effect.Effect<void>
  /** Done with the first poll, however it ended. */
  readonly polled: Effect.Effect<unknown>
}

const loop = (run: Run) =>
  keepRunning(run.kind, {
    // After a broken connection the database may be another one.
    resume: Effect.gen(function* () {
      yield* run.outbox.adopt
      yield* reload(run)
      yield* rounds(run)
    }),
    repeat: Effect.gen(function* () {
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

// Whether the file was deleted, or another process wrote to it.
const isMoved = Effect.fnUntraced(function* ({ index, state }: Run) {
  const checkpoints = yield* index.checkpoints("active")
  return (
    checkpoints.length !== state.active.size ||
    checkpoints.some((stored) => state.active.get(stored.instanceId)?.stored.checkpoint !== stored.checkpoint)
  )
})

/** Searches are answered only while the database has everything that the index contains. */
const trust = ({ index, state }: Run, isTrusted: boolean) =>
  Effect.suspend(() => {
    if (state.trusted === isTrusted) return Effect.void
    state.trusted = isTrusted
    return index.serve(isTrusted)
  })

/** Repeats rounds for STATUS_MILLIS, after which the checkpoints are compared with the index. */
const rounds = Effect.fnUntraced(function* (run: Run) {
  const begun = yield* Clock.currentTimeMillis
  const isTime = Effect.map(Clock.currentTimeMillis, (now) => now - begun < STATUS_MILLIS)
  const round = Effect.suspend(() => {
    const number = ++run.state.polls
    return Effect.flatMap(run.writes, (writes) => (writes ? write(run, number) : read(run, number)))
  })
  yield* Effect.repeat(round, { while: () => isTime })
})

// A round of a process that does not write: reads the progress of the writer.
const read = Effect.fnUntraced(function* (run: Run, number: number) {
  const { notified, outbox, polled, state } = run
  yield* reload(run)
  const poll = yield* outbox.poll(claimsOf(state.active))
  // If the index is ahead of the database, the writer rebuilds it.
  yield* trust(run, !isAhead(state.active, poll))
  yield* observe(run, poll)
  if (isDone(state.active, poll)) state.idlePoll = number
  yield* polled
  yield* Effect.raceFirst(notified, Effect.sleep(OUTBOX_POLL_MILLIS))
})

const write = Effect.fnUntraced(function* (run: Run, number: number) {
  const { index, kind, notified, outbox, polled, state } = run
  const poll = yield* outbox.poll(claimsOf(state.active))
  if (isAhead(state.active, poll)) {
    yield* trust(run, false)
    yield* Effect.logWarning(
      `the ${kind} index belongs to another database or to a later state of this one: rebuilding it`
    )
    yield* outbox.adopt
    yield* index.reset("active")
    state.active = new Map()
    return
  }
  yield* trust(run, true)
  yield* polled
  yield* observe(run, poll)
  const followed = yield* advanceInstances(run, "active", state.active, poll)
  if (yield* rebuild(run, poll)) return
  if (followed.length > 0) return yield* Effect.sleep(pauseMillis(state.active, followed))
  if (poll.instances.every((one) => one.waitingSince === null)) state.idlePoll = number
  const isBlocked = poll.instances.some((one) => one.waitingSince !== null && !one.due)
  // Gathers changes that follow each other closely; a single change waits only for this short pause.
  yield* Effect.sleep(OUTBOX_GATHER_MILLIS)
  yield* Effect.raceFirst(notified, Effect.sleep(isBlocked ? OUTBOX_BLOCKED_POLL_MILLIS : OUTBOX_POLL_MILLIS))
})

const observe = Effect.fnUntraced(function* ({ index, state }: Run, poll: OutboxPoll) {
  state.waiting = new Map()
  for (const { id, waitingSince } of poll.instances) {
    // The outbox does not show a running scan.
    const scanSince = state.active.get(id)?.checkpoint.scan?.since ?? null
    const oldest = scanSince === null ? waitingSince : Math.min(scanSince, waitingSince ?? scanSince)
    state.waiting.set(id, oldest)
    yield* index.observe(id, oldest)
  }
})

/** Builds a copy for a rebuild or a newer format while the active one answers; true while there is work. */
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
  const followed = yield* advanceInstances(run, "building", building, after)
  if (followed.length > 0) return true
  if (!isDone(building, after)) return false
  yield* index.publish
  yield* Effect.logInfo(`the ${kind} index is rebuilt and active now`)
  yield* reload(run)
  return true
})

/** A partly built copy of an earlier process if it is usable, else an empty one. */
const buildingFor = Effect.fnUntraced(function* (run: Run, poll: OutboxPoll, outdated: boolean) {
  const left = yield* load(run, "building")
  const isUsable =
    left.size > 0 &&
    [...left.values()].every(({ checkpoint }) => checkpoint.generation === poll.generation) &&
    !isAhead(left, yield* run.outbox.poll(claimsOf(left)))
  if (isUsable) return left
  const why = outdated ? ", which has an older format and answers until then" : ""
  yield* Effect.logInfo(`rebuilding the ${run.kind} index while the active one answers${why}`)
  yield* run.index.reset("building")
  const none: Progresses = new Map()
  return none
})
