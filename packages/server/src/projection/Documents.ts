// Reads documents and writes them into the index, in groups of bounded size; where one of them is
// refused, one by one.
import type { DocumentProjection } from "@rapport/core/search/DocumentProjection.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { DocumentSize, DocumentSource } from "@rapport/core/search/DocumentSource.ts"
import {
  DocumentRefused,
  type IndexCheckpointMoved,
  type IndexStep
} from "@rapport/core/search/IndexCheckpoint.ts"
import { Cause, Effect, Stream } from "effect"
import type { ProjectionProgress, Retry } from "./ProjectionProgress.ts"
import { firstRetry, retriesWithout, withRetries } from "./Work.ts"

/** Appeals of one instance that wait for another try. Above it the index itself counts as broken. */
const INDEX_AGAIN_MAX = 200
/** Messages read and written at once; a single appeal may have more. */
const INDEX_MESSAGES_AT_ONCE = 1_000
/** Bytes of their text. */
const INDEX_BYTES_AT_ONCE = 8 * 1024 * 1024
/** An appeal with more text is refused, and goes to quarantine. */
const INDEX_APPEAL_BYTES_MAX = 64 * 1024 * 1024

/** Why a step was not taken; the same may succeed later. */
export type StepFailure = SourceUnavailable | IndexCheckpointMoved

type From = ProjectionProgress | undefined

export interface Documents {
  /** Takes a step without documents; `from` undefined: the instance is not in the index yet. */
  readonly move: (from: From, to: ProjectionProgress) => Effect.Effect<ProjectionProgress, StepFailure>
  /** Writes the documents of the keys and takes the step; those that are refused are left for another try. */
  readonly write: (
    from: ProjectionProgress,
    to: ProjectionProgress,
    keys: ReadonlyArray<number>,
    now: number
  ) => Effect.Effect<ProjectionProgress, StepFailure>
  /** Why the document cannot be written, or undefined when it was. */
  readonly tryOne: (at: ProjectionProgress, key: number) => Effect.Effect<string | undefined, StepFailure>
}

export const makeDocuments = (kind: string, index: DocumentProjection, source: DocumentSource): Documents => {
  const step = (from: From, to: ProjectionProgress, keys: ReadonlyArray<number>) => {
    const taken: IndexStep = { copy: to.copy, from: from?.stored.checkpoint ?? null, to: to.stored }
    return Effect.as(writeGroups(index, source, taken, keys), to)
  }

  // Without documents there is none that could be refused.
  const move: Documents["move"] = (from, to) =>
    Effect.catchTag(step(from, to, []), "DocumentRefused", (refused) => Effect.die(refused))

  // A bug that one document brings out is that document's fault.
  const tryOne: Documents["tryOne"] = (at, key) =>
    step(at, at, [key]).pipe(
      Effect.as(undefined),
      Effect.catchTag("DocumentRefused", ({ reason }) => Effect.succeed(reason)),
      Effect.catchDefect((defect) =>
        Effect.as(
          Effect.logError(`${kind} ${key} cannot be indexed`, Cause.die(defect)),
          "it cannot be indexed: an internal error"
        )
      )
    )

  const oneByOne = Effect.fnUntraced(function* (
    from: ProjectionProgress,
    to: ProjectionProgress,
    keys: ReadonlyArray<number>,
    now: number
  ) {
    const failed: Array<Retry> = []
    for (const key of keys) {
      const reason = yield* tryOne(from, key)
      if (reason === undefined) continue
      yield* Effect.logWarning(`${kind} ${key} was not indexed: ${reason}`)
      failed.push(firstRetry(key, now))
    }
    const again = [...retriesWithout(to, keys), ...failed]
    // Where everything fails it is not the documents.
    if ((failed.length === keys.length && keys.length > ALONE_MAX) || again.length > INDEX_AGAIN_MAX) {
      return yield* new SourceUnavailable({ source: "search", reason: "search_index_unavailable" })
    }
    return yield* move(from, withRetries(to, again))
  })

  return {
    move,
    tryOne,
    write: (from, to, keys, now) =>
      step(from, withRetries(to, retriesWithout(to, keys)), keys).pipe(
        Effect.catchTag("DocumentRefused", () => oneByOne(from, to, keys, now)),
        Effect.catchDefect((defect) =>
          Effect.andThen(
            Effect.logError(`a batch of ${kind} cannot be indexed: trying one by one`, Cause.die(defect)),
            oneByOne(from, to, keys, now)
          )
        )
      )
  }
}

// So few may well be broken all together.
const ALONE_MAX = 3

/** Reads the keys as they are now and writes them; the step is taken with the last group. */
const writeGroups = Effect.fnUntraced(function* (
  index: DocumentProjection,
  source: DocumentSource,
  step: IndexStep,
  keys: ReadonlyArray<number>
) {
  const sizes = keys.length === 0 ? [] : yield* source.sizes(step.to.instanceId, keys)
  const large = sizes.find((one) => one.bytes > INDEX_APPEAL_BYTES_MAX)
  if (large !== undefined) {
    return yield* new DocumentRefused({
      key: large.documentId,
      reason: `it holds ${large.bytes} bytes of text`
    })
  }
  // The next group is read while one is written.
  const groups = groupsOf(sizes)
  const here = groups.length > 1 ? yield* presentCheckpoint(index, step) : undefined
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

// Groups before the last leave the checkpoint as it is; an instance without one has none to leave, and only one group.
const presentCheckpoint = Effect.fnUntraced(function* (index: DocumentProjection, step: IndexStep) {
  if (step.from === null) return undefined
  const checkpoints = yield* index.checkpoints(step.copy)
  return checkpoints.find((one) => one.instanceId === step.to.instanceId)
})

/** In the order given; each group within the bounds but for a document that alone is beyond them. */
const groupsOf = (sizes: ReadonlyArray<DocumentSize>): ReadonlyArray<ReadonlyArray<number>> => {
  const groups: Array<Array<number>> = []
  let texts = 0
  let bytes = 0
  for (const size of sizes) {
    const group = groups.at(-1)
    const fits = texts + size.texts <= INDEX_MESSAGES_AT_ONCE && bytes + size.bytes <= INDEX_BYTES_AT_ONCE
    if (group !== undefined && fits) {
      group.push(size.documentId)
      texts += size.texts
      bytes += size.bytes
    } else {
      groups.push([size.documentId])
      texts = size.texts
      bytes = size.bytes
    }
  }
  return groups
}
