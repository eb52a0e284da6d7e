// One step of a projection in one instance: a page of the first scan, a batch of obligations, or another try of what failed.
import {
  INDEX_AGAIN_MAX,
  INDEX_BACKOFF_MILLIS,
  INDEX_TRIES_MAX,
  OUTBOX_BATCH_MAX
} from "@rapport/contract/Limits.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type {
  DocumentRefused,
  IndexCopy,
  IndexMark,
  IndexMarkMoved,
  IndexStep
} from "@rapport/core/search/IndexCheckpoint.ts"
import { Cause, Effect } from "effect"
import type { Outbox, OutboxLook } from "../postgres/outbox/OutboxPostgres.ts"
import { type Again, encodeCheckpoint, placeOf, type ProjectionCheckpoint } from "./ProjectionCheckpoint.ts"

/** What is projected: keys of one kind of the outbox into one index. */
export interface Projected {
  /** Of the rows in outbox, quarantine, standings and rebuilds. */
  readonly kind: string
  readonly engine: string
  /** How long a start waits for the first look: an index that does not answer keeps nobody waiting. */
  readonly firstLookMillisMax: number
  /** Whether this process is to write now: an index that several share has one writer, the others look on. */
  readonly writes: Effect.Effect<boolean>
  readonly marks: (copy: IndexCopy) => Effect.Effect<ReadonlyArray<IndexMark>, SourceUnavailable>
  readonly reset: (copy: IndexCopy) => Effect.Effect<void, SourceUnavailable>
  readonly publish: Effect.Effect<void, SourceUnavailable>
  readonly observe: (instanceId: number, waitingSince: number | null) => Effect.Effect<void>
  /** As `EvidenceProjection.serve`. */
  readonly serve: (isServing: boolean) => Effect.Effect<void>
  /** Reads the keys as they stand now and writes them; the step is taken with the last of them. */
  readonly write: (
    step: IndexStep,
    keys: ReadonlyArray<number>
  ) => Effect.Effect<void, SourceUnavailable | IndexMarkMoved | DocumentRefused>
  /** Keys above `after`, ascending: the pages of a first scan. */
  readonly keysAfter: (
    instanceId: number,
    after: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<number>, SourceUnavailable>
  readonly count: (instanceId: number) => Effect.Effect<number, SourceUnavailable>
}

/** Where an instance stands in a copy. */
export interface Standing {
  readonly copy: IndexCopy
  readonly mark: IndexMark
  readonly checkpoint: ProjectionCheckpoint
}

export type Standings = Map<number, Standing>

/** What the loop knows; written by it alone, looked at by those who ask how it stands. */
export interface ProjectionState {
  served: Standings
  /** The copy that a rebuild makes, while it does. */
  draft: Standings | undefined
  /** Of the last look, of what is served. */
  waiting: Map<number, number | null>
  /** Looks begun, and the last of them after which nothing was left to do. */
  looks: number
  idleLook: number
  /** Whether the database was seen to have all that the index claims; searches are answered only then. */
  trusted: boolean
}

type Failure = SourceUnavailable | IndexMarkMoved
type Seen = OutboxLook["instances"][number]

export interface Steps {
  /** Begins the scan of an instance that stands nowhere in the copy, or (`before`) has missed obligations. */
  readonly begin: (
    copy: IndexCopy,
    look: OutboxLook,
    instanceId: number,
    before?: Standing
  ) => Effect.Effect<Standing, Failure>
  /** The next piece of work, where there is any; undefined: nothing is due. */
  readonly next: (
    standing: Standing,
    look: OutboxLook,
    seen: Seen
  ) => Effect.Effect<Standing | undefined, Failure>
  /** Notes that nothing before the horizon of the look is owed. */
  readonly note: (standing: Standing, look: OutboxLook) => Effect.Effect<Standing, Failure>
}

export const makeSteps = (projected: Projected, outbox: Outbox): Steps => {
  const move = Effect.fnUntraced(function* (
    standing: Omit<Standing, "mark"> & { readonly mark: Omit<IndexMark, "checkpoint"> },
    from: string | null,
    keys: ReadonlyArray<number>
  ) {
    const { checkpoint, copy } = standing
    const to: IndexMark = { ...standing.mark, checkpoint: encodeCheckpoint(checkpoint) }
    yield* projected.write({ copy, from, to }, keys)
    return { copy, mark: to, checkpoint } satisfies Standing
  })

  // A step without keys has no document that could be refused.
  const moveOnly = (standing: Standing, to: Omit<Standing, "copy">): Effect.Effect<Standing, Failure> =>
    move({ ...to, copy: standing.copy }, standing.mark.checkpoint, []).pipe(
      Effect.catchTag("DocumentRefused", (refused) => Effect.die(refused))
    )

  /** Why the key cannot be written, or undefined when it was. A bug that one document brings out is that document's fault. */
  const tryOne = (standing: Standing, key: number): Effect.Effect<string | undefined, Failure> => {
    const { copy, mark } = standing
    return projected.write({ copy, from: mark.checkpoint, to: mark }, [key]).pipe(
      Effect.as(undefined),
      Effect.catchTag("DocumentRefused", ({ reason }) => Effect.succeed(reason)),
      Effect.catchDefect((defect) =>
        Effect.as(
          Effect.logError(`${projected.kind} ${key} cannot be indexed`, Cause.die(defect)),
          "it cannot be indexed: an internal error"
        )
      )
    )
  }

  const oneByOne = Effect.fnUntraced(function* (
    standing: Standing,
    to: Omit<Standing, "copy">,
    keys: ReadonlyArray<number>,
    look: OutboxLook
  ) {
    const failed: Array<Again> = []
    for (const key of keys) {
      const reason = yield* tryOne(standing, key)
      if (reason === undefined) continue
      yield* Effect.logWarning(`${projected.kind} ${key} was not indexed: ${reason}`)
      failed.push({ key, tries: 1, dueAt: look.now + INDEX_BACKOFF_MILLIS, since: look.now })
    }
    const again = [...to.checkpoint.again.filter((one) => !keys.includes(one.key)), ...failed]
    // Where everything fails it is not the documents.
    if ((failed.length === keys.length && keys.length > ALONE_MAX) || again.length > INDEX_AGAIN_MAX) {
      return yield* new SourceUnavailable({ source: "search", reason: "search_index_unavailable" })
    }
    return yield* moveOnly(standing, { ...to, checkpoint: { ...to.checkpoint, again } })
  })

  const writeAll = (
    standing: Standing,
    to: Omit<Standing, "copy">,
    keys: ReadonlyArray<number>,
    look: OutboxLook
  ) => {
    const done = {
      ...to,
      checkpoint: { ...to.checkpoint, again: to.checkpoint.again.filter((one) => !keys.includes(one.key)) }
    }
    return move({ ...done, copy: standing.copy }, standing.mark.checkpoint, keys).pipe(
      Effect.catchTag("DocumentRefused", () => oneByOne(standing, to, keys, look)),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError(
            `a batch of ${projected.kind} cannot be indexed: trying one by one`,
            Cause.die(defect)
          ),
          oneByOne(standing, to, keys, look)
        )
      )
    )
  }

  const scanOn = Effect.fnUntraced(function* (standing: Standing, look: OutboxLook) {
    const { checkpoint, mark } = standing
    const scan = checkpoint.scan ?? { after: 0, built: 0, total: 0, since: look.now }
    const keys = yield* projected.keysAfter(mark.instanceId, scan.after, OUTBOX_BATCH_MAX)
    const last = keys.at(-1)
    if (last === undefined) {
      const done = { ...checkpoint, scan: null, built: scan.built }
      return yield* moveOnly(standing, {
        checkpoint: done,
        mark: { ...mark, complete: true, indexedAt: Math.max(mark.indexedAt, scan.since) }
      })
    }
    const built = scan.built + keys.length
    const further = { ...scan, after: last, built, total: Math.max(scan.total, built) }
    return yield* writeAll(standing, { mark, checkpoint: { ...checkpoint, scan: further } }, keys, look)
  })

  const follow = Effect.fnUntraced(function* (standing: Standing, look: OutboxLook) {
    const { checkpoint, mark } = standing
    const owed = yield* outbox.next(mark.instanceId, placeOf(checkpoint))
    const last = owed.at(-1)
    if (last === undefined) return undefined
    const to = {
      checkpoint: {
        ...checkpoint,
        epoch: look.epoch,
        xid: last.xid,
        id: last.id,
        witness: { xid: last.xid, id: last.id, createdAt: last.createdAt },
        notedAt: look.now
      },
      mark: { ...mark, indexedAt: owed.reduce((at, one) => Math.max(at, one.createdAt), mark.indexedAt) }
    }
    return yield* writeAll(standing, to, [...new Set(owed.map((one) => one.key))], look)
  })

  const tryAgain = Effect.fnUntraced(function* (standing: Standing, look: OutboxLook) {
    const again: Array<Again> = []
    for (const one of standing.checkpoint.again) {
      if (one.dueAt > look.now) {
        again.push(one)
        continue
      }
      const reason = yield* tryOne(standing, one.key)
      const tries = one.tries + 1
      if (reason === undefined) continue
      if (tries < INDEX_TRIES_MAX) {
        again.push({ ...one, tries, dueAt: look.now + INDEX_BACKOFF_MILLIS * 2 ** one.tries })
      } else {
        // The row is an obligation itself: following it, every process drops the document.
        yield* Effect.logError(
          `${projected.kind} ${one.key} goes to quarantine after ${tries} tries: ${reason}`
        )
        yield* outbox.quarantine(standing.mark.instanceId, one.key, reason, tries)
      }
    }
    return yield* moveOnly(standing, { ...standing, checkpoint: { ...standing.checkpoint, again } })
  })

  return {
    begin: Effect.fnUntraced(function* (copy, look, instanceId, before) {
      const total = yield* projected.count(instanceId)
      const checkpoint = {
        source: look.source,
        // Made now: nothing else in a state from before this scan may be missing.
        epoch: yield* outbox.newEpoch,
        generation: before?.checkpoint.generation ?? look.generation,
        xid: look.horizon,
        id: "0",
        witness: null,
        notedAt: look.now,
        scan: { after: 0, built: 0, total, since: look.now },
        built: 0,
        again: before?.checkpoint.again ?? []
      }
      const mark = before?.mark ?? { instanceId, complete: false, indexedAt: 0 }
      return yield* move({ copy, mark, checkpoint }, before?.mark.checkpoint ?? null, []).pipe(
        Effect.catchTag("DocumentRefused", (refused) => Effect.die(refused))
      )
    }),
    next: (standing, look, seen) => {
      if (standing.checkpoint.again.some((one) => one.dueAt <= look.now)) return tryAgain(standing, look)
      if (standing.checkpoint.scan !== null) return scanOn(standing, look)
      return seen.due ? follow(standing, look) : Effect.succeed(undefined)
    },
    note: (standing, look) =>
      moveOnly(standing, {
        ...standing,
        checkpoint: {
          ...standing.checkpoint,
          epoch: look.epoch,
          xid: look.horizon,
          id: "0",
          notedAt: look.now
        }
      })
  }
}

// So few may well be broken all together.
const ALONE_MAX = 3
