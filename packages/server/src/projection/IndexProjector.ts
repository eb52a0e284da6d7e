// What keeps one index of documents in step with the database: groups that neither thread nor memory feels, and how it stands.
import {
  INDEX_APPEAL_BYTES_MAX,
  INDEX_BYTES_AT_ONCE,
  INDEX_MESSAGES_AT_ONCE
} from "@rapport/contract/Limits.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { AppealSize, AppealSource } from "@rapport/core/search/AppealSource.ts"
import type { EvidenceProjection } from "@rapport/core/search/EvidenceProjection.ts"
import { DocumentRefused, type IndexStep } from "@rapport/core/search/IndexCheckpoint.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Cause, Clock, Effect, Exit, type Scope, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { type Projection, runProjection } from "./Projection.ts"
import { placeOf } from "./ProjectionCheckpoint.ts"
import { standingsOf } from "./ProjectionStatus.ts"

/** How an index stands, as the readiness route shows it (docs/contract.md §3.4). */
export interface IndexReadiness {
  readonly ready: boolean
  /** 0 exactly when every committed change is searchable, else the age of the oldest one that is not. */
  readonly lagMillis: number
  readonly quarantined: number
}

/** How far a wait has come, in documents of all instances. */
export interface IndexProgress {
  readonly built: number
  readonly total: number
}

/** What asks and waits for an index that a projector keeps. */
export interface IndexProjector {
  /** Asks the database, so it is exact; `instanceId` that does not exist is never ready. */
  readonly readiness: (instanceId: number) => Effect.Effect<IndexReadiness, SourceUnavailable>
  /** Returns when everything that was committed before the call is searchable; tells its progress now and then. */
  readonly caughtUp: <E, R>(
    told: (progress: IndexProgress) => Effect.Effect<void, E, R>
  ) => Effect.Effect<void, E, R>
  /** For how long the index has answered nothing that it was asked; 0: it answers. */
  readonly silentMillis: Effect.Effect<number>
}

/** What a projector needs to know of its index: `writes` as in `Projected`; absent, the index is this process's own. */
export interface ProjectorIndex {
  readonly index: EvidenceProjection["Service"]
  readonly source: AppealSource["Service"]
  readonly writes?: Effect.Effect<boolean>
}

/** Runs until the scope closes. `kind` is that of the rows in outbox, quarantine, standings and rebuilds. */
export const projectorOf: (
  kind: string,
  of: ProjectorIndex
) => Effect.Effect<IndexProjector, never, OutboxSignal | SqlClient.SqlClient | Scope.Scope> =
  Effect.fnUntraced(function* (kind, { index, source, writes }) {
    const signal = yield* OutboxSignal
    const { answering, silentMillis } = makeAnswering()
    const projection = yield* runProjection({
      kind,
      engine: index.engine,
      firstLookMillisMax: writes === undefined ? FIRST_LOOK_MILLIS_MAX : FIRST_SHARED_LOOK_MILLIS_MAX,
      writes: writes ?? Effect.succeed(true),
      marks: (copy) => answering(index.marks(copy)),
      reset: (copy) => answering(index.reset(copy)),
      publish: answering(index.publish),
      observe: index.observe,
      serve: index.serve,
      write: write({ ...index, apply: (step, changes) => answering(index.apply(step, changes)) }, source),
      keysAfter: source.idsAfter,
      count: source.count
    })
    return {
      readiness: (instanceId) => readiness(projection, instanceId),
      caughtUp: (told) => Effect.andThen(signal.poke, caughtUp(projection, told)),
      silentMillis
    }
  })

// An index of our own answers as soon as its thread runs; one over the network may be away.
const FIRST_LOOK_MILLIS_MAX = 15_000
const FIRST_SHARED_LOOK_MILLIS_MAX = 2_000

/** Notes since when calls go unanswered. A refusal is an answer too. */
const makeAnswering = () => {
  let silentSince: number | undefined
  const answered = Effect.sync(() => {
    silentSince = undefined
  })
  return {
    answering: <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        silentSince ??= now
        return Effect.onExit(call, (exit) =>
          Exit.isSuccess(exit) || !(Cause.squash(exit.cause) instanceof SourceUnavailable)
            ? answered
            : Effect.void
        )
      }),
    silentMillis: Effect.map(Clock.currentTimeMillis, (now) =>
      silentSince === undefined ? 0 : now - silentSince
    )
  }
}

const write =
  (index: EvidenceProjection["Service"], source: AppealSource["Service"]) =>
  (step: IndexStep, appealIds: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const sizes = appealIds.length === 0 ? [] : yield* source.sizes(step.to.instanceId, appealIds)
      const large = sizes.find((one) => one.bytes > INDEX_APPEAL_BYTES_MAX)
      if (large !== undefined) {
        return yield* new DocumentRefused({
          key: large.appealId,
          reason: `it holds ${large.bytes} bytes of text`
        })
      }
      // The next group is read while one is written; the mark moves when all of them are in.
      const groups = groupsOf(sizes)
      const here = groups.length > 1 ? yield* presentMark(index, step) : undefined
      yield* Stream.fromIterable(groups).pipe(
        Stream.mapEffect((ids) => source.read(step.to.instanceId, ids), { concurrency: 2 }),
        Stream.zipWithIndex,
        Stream.runForEach(([changes, at]) => {
          const isLast = at === groups.length - 1
          return index.apply(isLast || here === undefined ? step : { ...step, to: here }, changes)
        })
      )
      if (groups.length === 0) yield* index.apply(step, [])
    })

// Groups before the last leave the mark as it is; an instance without a mark has none to leave, and only one group.
const presentMark = Effect.fnUntraced(function* (index: EvidenceProjection["Service"], step: IndexStep) {
  if (step.from === null) return undefined
  const marks = yield* index.marks(step.copy)
  return marks.find((mark) => mark.instanceId === step.to.instanceId)
})

/** In the order given; each group within the bounds but for an appeal that alone is beyond them. */
export const groupsOf = (sizes: ReadonlyArray<AppealSize>): ReadonlyArray<ReadonlyArray<number>> => {
  const groups: Array<Array<number>> = []
  let messages = 0
  let bytes = 0
  for (const size of sizes) {
    const group = groups.at(-1)
    const fits =
      messages + size.messages <= INDEX_MESSAGES_AT_ONCE && bytes + size.bytes <= INDEX_BYTES_AT_ONCE
    if (group !== undefined && fits) {
      group.push(size.appealId)
      messages += size.messages
      bytes += size.bytes
    } else {
      groups.push([size.appealId])
      messages = size.messages
      bytes = size.bytes
    }
  }
  return groups
}

const nowhere = { xid: "0", id: "0" }

const readiness = Effect.fnUntraced(function* (projection: Projection, instanceId: number) {
  const { outbox } = projection
  const found = yield* projection.standing(instanceId)
  // Nothing that an index says of a later state of the database counts.
  const standing = projection.state.trusted ? found : undefined
  const place = standing === undefined ? nowhere : placeOf(standing.checkpoint)
  const { lag, quarantined } = yield* outbox.lag(instanceId, place)
  // What a scan or another try will bring is owed too, though no obligation after the place says so.
  const now = yield* Clock.currentTimeMillis
  const since = [
    ...(standing?.checkpoint.scan ? [standing.checkpoint.scan.since] : []),
    ...(standing?.checkpoint.again.map((one) => one.since) ?? [])
  ]
  const lagMillis = Math.max(lag, ...since.map((at) => Math.max(1, now - at)))
  return { ready: standing?.mark.complete === true, lagMillis, quarantined }
})

const CAUGHT_UP_POLL_MILLIS = 50

const caughtUp = <E, R>(
  { state }: Projection,
  told: (progress: IndexProgress) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    const from = state.looks
    while (state.idleLook <= from || state.draft !== undefined) {
      const standings = standingsOf(state, yield* Clock.currentTimeMillis)
      yield* told({
        built: standings.reduce((sum, one) => sum + one.built, 0),
        total: standings.reduce((sum, one) => sum + one.total, 0)
      })
      yield* Effect.sleep(CAUGHT_UP_POLL_MILLIS)
    }
  })
