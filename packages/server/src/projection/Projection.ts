// Keeps one index in step with the database: scans what was there before, follows the outbox, obeys rebuilds, and goes on
// after whatever failed. Instances take turns, so that the import of one delays no other.
import {
  OUTBOX_GATHER_MILLIS,
  OUTBOX_HELD_MILLIS,
  OUTBOX_POLL_MILLIS,
  PLACE_NOTED_MILLIS,
  PROJECTION_RETRY_MILLIS,
  PROJECTION_RETRY_MILLIS_MAX,
  STANDING_MILLIS
} from "@rapport/contract/Limits.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { IndexCopy, IndexMarkMoved } from "@rapport/core/search/IndexCheckpoint.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Cause, Clock, Deferred, Effect, PubSub, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { makeOutbox, type Outbox, type OutboxLook } from "../postgres/outbox/OutboxPostgres.ts"
import { claimOf, decodeCheckpoint } from "./ProjectionCheckpoint.ts"
import { tellStandings } from "./ProjectionStatus.ts"
import {
  makeSteps,
  type Projected,
  type ProjectionState,
  type Standing,
  type Standings,
  type Steps
} from "./ProjectionSteps.ts"

export interface Projection {
  readonly state: ProjectionState
  readonly outbox: Outbox
  /** Where an instance stands in what is served: of an index that another process writes, as it is now. */
  readonly standing: (instanceId: number) => Effect.Effect<Standing | undefined, SourceUnavailable>
}

/** Runs until the scope closes. */
export const runProjection: (
  projected: Projected
) => Effect.Effect<Projection, never, SqlClient.SqlClient | OutboxSignal | Scope.Scope> = Effect.fnUntraced(
  function* (projected) {
    const outbox = yield* makeOutbox(projected.kind)
    const pokes = yield* (yield* OutboxSignal).pokes
    const state: ProjectionState = {
      served: new Map(),
      draft: undefined,
      waiting: new Map(),
      looks: 0,
      idleLook: 0,
      trusted: false
    }
    const looked = yield* Deferred.make<void>()
    yield* projected.serve(false)
    yield* Effect.forkScoped(loop(projected, outbox, state, { poked: PubSub.take(pokes), looked }))
    yield* tellStandings(projected, outbox, state)
    // What was served before is served from the first request on.
    yield* Effect.raceFirst(Deferred.await(looked), Effect.sleep(projected.firstLookMillisMax))
    return {
      state,
      outbox,
      standing: Effect.fnUntraced(function* (instanceId) {
        const served = (yield* projected.writes) ? state.served : yield* load(projected, "served")
        return served.get(instanceId)
      })
    }
  }
)

type Failure = SourceUnavailable | IndexMarkMoved

interface Signals {
  readonly poked: Effect.Effect<void>
  /** Done with the first look, however it ended. */
  readonly looked: Deferred.Deferred<void>
}

const loop = Effect.fnUntraced(function* (
  projected: Projected,
  outbox: Outbox,
  state: ProjectionState,
  { looked, poked }: Signals
) {
  const steps = makeSteps(projected, outbox)
  let failures = 0
  let said = ""
  let loaded = false
  for (;;) {
    const round = Effect.gen(function* () {
      // A connection that broke may lead to another database now.
      if (!loaded) yield* outbox.adopt
      if (!loaded || (yield* isMoved(projected, state))) {
        state.draft = undefined
        state.served = yield* load(projected, "served")
      }
      loaded = true
      yield* rounds(projected, outbox, steps, state, { looked, poked })
    })
    // It ends by failing, or, now and then, to see that the index is still there.
    const exit = yield* Effect.exit(round)
    if (exit._tag === "Success") {
      if (failures > 0) yield* Effect.logInfo(`the ${projected.kind} index goes on`)
      failures = 0
      said = ""
      continue
    }
    if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
    loaded = false
    failures++
    yield* Deferred.succeed(looked, undefined)
    if (isOfDatabase(exit.cause)) yield* trust(projected, state, false)
    const why = reasonOf(exit.cause)
    // Once may happen; what lasts is said once for each reason.
    if (failures > 1 && why !== said) {
      yield* Effect.logWarning(`the ${projected.kind} index waits: ${why}`, exit.cause)
      said = why
    }
    yield* Effect.sleep(Math.min(PROJECTION_RETRY_MILLIS_MAX, PROJECTION_RETRY_MILLIS * 2 ** (failures - 1)))
  }
})

const reasonOf = (cause: Cause.Cause<Failure>): string => {
  const error = Cause.squash(cause)
  if (typeof error !== "object" || error === null || !("_tag" in error)) return "an internal error"
  return "reason" in error ? String(error.reason) : String(error._tag)
}

const isOfDatabase = (cause: Cause.Cause<Failure>): boolean => {
  const error = Cause.squash(cause)
  return error instanceof SourceUnavailable && error.source === "database"
}

const trust = (projected: Projected, state: ProjectionState, isTrusted: boolean) =>
  Effect.suspend(() => {
    if (state.trusted === isTrusted) return Effect.void
    state.trusted = isTrusted
    return projected.serve(isTrusted)
  })

/** Whether something that is written down as done in the index was never done in this database. */
const isAhead = (standings: Standings, look: OutboxLook): boolean =>
  [...standings.values()].some(({ checkpoint }) => checkpoint.source !== look.source) ||
  look.instances.some(({ ahead, id }) => ahead && standings.has(id)) ||
  // Instances are never deleted.
  [...standings.keys()].some((id) => look.instances.every((seen) => seen.id !== id))

const load = Effect.fnUntraced(function* (projected: Projected, copy: IndexCopy) {
  const standings: Standings = new Map()
  for (const mark of yield* projected.marks(copy)) {
    const checkpoint = yield* decodeCheckpoint(mark.checkpoint)
    if (checkpoint === undefined) {
      if (yield* projected.writes) yield* projected.reset(copy)
      return new Map<number, Standing>()
    }
    standings.set(mark.instanceId, { copy, mark, checkpoint })
  }
  return standings
})

// The file was deleted, or somebody else wrote to it.
const isMoved = Effect.fnUntraced(function* (projected: Projected, state: ProjectionState) {
  const marks = yield* projected.marks("served")
  return (
    marks.length !== state.served.size ||
    marks.some((mark) => state.served.get(mark.instanceId)?.mark.checkpoint !== mark.checkpoint)
  )
})

const rounds = Effect.fnUntraced(function* (
  projected: Projected,
  outbox: Outbox,
  steps: Steps,
  state: ProjectionState,
  { looked, poked }: Signals
) {
  const begun = yield* Clock.currentTimeMillis
  do {
    const number = ++state.looks
    if (!(yield* projected.writes)) {
      yield* lookOn(projected, outbox, state, number)
      yield* Deferred.succeed(looked, undefined)
      yield* Effect.raceFirst(poked, Effect.sleep(OUTBOX_POLL_MILLIS))
      continue
    }
    const look = yield* outbox.look(claimsOf(state.served))
    if (isAhead(state.served, look)) {
      yield* trust(projected, state, false)
      yield* Effect.logWarning(
        `the ${projected.kind} index is of another database, or of a later state of it: building it anew`
      )
      yield* outbox.adopt
      yield* projected.reset("served")
      state.served = new Map()
      continue
    }
    yield* trust(projected, state, true)
    yield* Deferred.succeed(looked, undefined)
    yield* observe(projected, state, look)
    const worked = yield* takeTurns(steps, "served", state.served, look)
    const building = yield* rebuild(projected, outbox, steps, state, look)
    if (worked || building) {
      if (!building && !isBehind(state, look)) yield* gathered
      continue
    }
    if (look.instances.every((seen) => seen.waitingSince === null)) state.idleLook = number
    const held = look.instances.some((seen) => seen.waitingSince !== null && !seen.due)
    const again = [...state.served.values()].some(({ checkpoint }) => checkpoint.again.length > 0)
    if (again) state.idleLook = 0
    yield* Effect.andThen(
      gathered,
      Effect.raceFirst(poked, Effect.sleep(held ? OUTBOX_HELD_MILLIS : OUTBOX_POLL_MILLIS))
    )
  } while ((yield* Clock.currentTimeMillis) - begun < STANDING_MILLIS)
})

/** What comes one after the other is looked at together; whoever writes alone is not kept waiting. */
const gathered = Effect.sleep(OUTBOX_GATHER_MILLIS)

/** A scan is under way, or what the look found had waited longer than it takes to gather. */
const isBehind = (state: ProjectionState, look: OutboxLook): boolean =>
  [...state.served.values()].some(({ checkpoint }) => checkpoint.scan !== null) ||
  look.instances.some(
    ({ waitingSince }) => waitingSince !== null && look.now - waitingSince > OUTBOX_GATHER_MILLIS
  )

// What the writing process has done so far, and what it still owes.
const lookOn = Effect.fnUntraced(function* (
  projected: Projected,
  outbox: Outbox,
  state: ProjectionState,
  number: number
) {
  state.draft = undefined
  state.served = yield* load(projected, "served")
  const look = yield* outbox.look(claimsOf(state.served))
  // The process that writes builds it anew.
  yield* trust(projected, state, !isAhead(state.served, look))
  yield* observe(projected, state, look)
  const isDone = look.instances.every(({ id, waitingSince }) => {
    const standing = state.served.get(id)
    const { mark, checkpoint } = standing ?? {}
    return waitingSince === null && mark?.complete === true && checkpoint?.again.length === 0
  })
  if (isDone) state.idleLook = number
})

const claimsOf = (standings: Standings) =>
  new Map([...standings].map(([id, { checkpoint }]) => [id, claimOf(checkpoint)] as const))

const observe = Effect.fnUntraced(function* (projected: Projected, state: ProjectionState, look: OutboxLook) {
  state.waiting = new Map()
  for (const { id, waitingSince } of look.instances) {
    const checkpoint = state.served.get(id)?.checkpoint
    const since = [
      ...(waitingSince === null ? [] : [waitingSince]),
      ...(checkpoint?.scan ? [checkpoint.scan.since] : []),
      ...(checkpoint?.again.map((one) => one.since) ?? [])
    ]
    const oldest = since.length === 0 ? null : Math.min(...since)
    state.waiting.set(id, oldest)
    yield* projected.observe(id, oldest)
  }
})

/** One piece of work for every instance that has one; true when any had. */
const takeTurns = Effect.fnUntraced(function* (
  steps: Steps,
  copy: IndexCopy,
  standings: Standings,
  look: OutboxLook
) {
  let worked = false
  for (const seen of look.instances) {
    const before = standings.get(seen.id)
    if (before === undefined || (seen.missed && before.checkpoint.scan === null)) {
      standings.set(seen.id, yield* steps.begin(copy, look, seen.id, before))
      worked = true
      continue
    }
    const after = yield* steps.next(before, look, seen)
    if (after !== undefined) {
      standings.set(seen.id, after)
      worked = true
    } else if (seen.waitingSince === null && isOld(before, look)) {
      standings.set(seen.id, yield* steps.note(before, look))
    }
  }
  return worked
})

// A place that nothing moves any more would one day lie behind what the sweep of the outbox has deleted.
const isOld = ({ checkpoint }: Standing, look: OutboxLook): boolean =>
  BigInt(look.horizon) > BigInt(checkpoint.xid) && look.now - checkpoint.notedAt > PLACE_NOTED_MILLIS

/** Builds the copy that a rebuild asks for, beside the one that is served; true while there is work for it. */
const rebuild = Effect.fnUntraced(function* (
  projected: Projected,
  outbox: Outbox,
  steps: Steps,
  state: ProjectionState,
  look: OutboxLook
) {
  const wanted = [...state.served.values()].some(({ checkpoint }) => checkpoint.generation < look.generation)
  if (!wanted) {
    state.draft = undefined
    return false
  }
  if (state.draft === undefined) {
    const left = yield* load(projected, "draft")
    const usable =
      [...left.values()].every(({ checkpoint }) => checkpoint.generation === look.generation) &&
      !isAhead(left, yield* outbox.look(claimsOf(left)))
    if (left.size === 0 || !usable) {
      yield* Effect.logInfo(`building the ${projected.kind} index anew beside the one that is served`)
      yield* projected.reset("draft")
    }
    state.draft = left.size > 0 && usable ? left : new Map()
  }
  const draft = state.draft
  const after = yield* outbox.look(claimsOf(draft))
  if (yield* takeTurns(steps, "draft", draft, after)) return true
  if (
    after.instances.some((seen) => draft.get(seen.id)?.mark.complete !== true || seen.waitingSince !== null)
  )
    return false
  yield* projected.publish
  yield* Effect.logInfo(`the ${projected.kind} index was built anew and is served now`)
  state.served = yield* load(projected, "served")
  state.draft = undefined
  return true
})
