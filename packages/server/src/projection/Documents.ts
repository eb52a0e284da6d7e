// Writes documents into the index in groups of bounded size, or one by one if the index refuses a group. Puts refused documents
// into quarantine.
import type { DocumentProjection } from "@rapport/core/search/DocumentProjection.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { DocumentSize, DocumentSource } from "@rapport/core/search/DocumentSource.ts"
import { DocumentRefused, type IndexCheckpointMoved } from "@rapport/core/search/IndexCheckpoint.ts"
import { Cause, Effect, Stream } from "effect"
import type { Outbox } from "../postgres/outbox/OutboxPostgres.ts"
import type { ProjectionProgress } from "./ProjectionProgress.ts"

/** Tries of a document before it goes to quarantine. */
const INDEX_TRIES_MAX = 5
/** Wait before the second try; each further wait doubles it. */
const INDEX_BACKOFF_MILLIS = 100
/** If the index refuses more documents of one batch, the index is broken, not the documents. */
const REFUSED_MAX = 200
/** Messages of a group; a single document may have more. */
const GROUP_MESSAGES_MAX = 1_000
/** Bytes of text of a group. */
const GROUP_BYTES_MAX = 8 * 1024 * 1024
/** A document with more text is refused and goes to quarantine. */
const DOCUMENT_BYTES_MAX = 64 * 1024 * 1024

/** Why a step failed; a retry may succeed. */
export type StepFailure = SourceUnavailable | IndexCheckpointMoved

type From = ProjectionProgress | undefined

export const makeDocuments = (
  kind: string,
  index: DocumentProjection,
  source: DocumentSource,
  outbox: Outbox
) => {
  const step = (from: From, to: ProjectionProgress, keys: ReadonlyArray<number>) =>
    Effect.as(writeGroups(index, source, { from, to }, keys), to)

  /** Moves the checkpoint without documents, so that nothing can be refused. `from` undefined: the instance is not in the index yet. */
  const move = (from: From, to: ProjectionProgress): Effect.Effect<ProjectionProgress, StepFailure> =>
    Effect.catchTag(step(from, to, []), "DocumentRefused", (refused) => Effect.die(refused))

  /** Why the document cannot be written, or undefined when it was. A defect counts as a refusal of the document that caused it. */
  const tryOne = (at: ProjectionProgress, key: number): Effect.Effect<string | undefined, StepFailure> =>
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

  /** Tries each document on its own, and those that fail again after pauses. */
  const oneByOne = Effect.fnUntraced(function* (
    from: ProjectionProgress,
    to: ProjectionProgress,
    keys: ReadonlyArray<number>
  ) {
    const { instanceId } = to.stored
    let refused: ReadonlyMap<number, string> = new Map(keys.map((key) => [key, ""]))
    for (let tries = 1; tries <= INDEX_TRIES_MAX && refused.size > 0; tries++) {
      if (tries > 1) yield* Effect.sleep(INDEX_BACKOFF_MILLIS * 2 ** (tries - 2))
      const failed = new Map<number, string>()
      for (const key of refused.keys()) {
        const reason = yield* tryOne(from, key)
        if (reason !== undefined) failed.set(key, reason)
      }
      if (failed.size > REFUSED_MAX)
        return yield* new SourceUnavailable({ source: "search", reason: "search_index_unavailable" })
      refused = failed
    }
    for (const [key, reason] of refused) {
      // The quarantine row is an outbox entry itself, by which every process drops the document.
      yield* Effect.logError(`${kind} ${key} goes to quarantine after ${INDEX_TRIES_MAX} tries: ${reason}`)
      yield* outbox.quarantine(instanceId, key, reason, INDEX_TRIES_MAX)
    }
    return yield* move(from, to)
  })

  return {
    move,
    /** Writes the documents of the keys and moves the checkpoint. */
    write: (
      from: ProjectionProgress,
      to: ProjectionProgress,
      keys: ReadonlyArray<number>
    ): Effect.Effect<ProjectionProgress, StepFailure> =>
      step(from, to, keys).pipe(
        Effect.catchTag("DocumentRefused", () => oneByOne(from, to, keys)),
        Effect.catchDefect((defect) =>
          Effect.andThen(
            Effect.logError(
              `a batch of ${kind} cannot be indexed: indexing its documents one by one`,
              Cause.die(defect)
            ),
            oneByOne(from, to, keys)
          )
        )
      )
  }
}

export type Documents = ReturnType<typeof makeDocuments>

/** Reads the present documents of the keys and writes them; the checkpoint moves with the last group. */
const writeGroups = Effect.fnUntraced(function* (
  index: DocumentProjection,
  source: DocumentSource,
  { from, to }: { readonly from: From; readonly to: ProjectionProgress },
  keys: ReadonlyArray<number>
) {
  const step = { copy: to.copy, from: from?.stored.checkpoint ?? null, to: to.stored }
  const { instanceId } = to.stored
  const sizes = keys.length === 0 ? [] : yield* source.sizes(instanceId, keys)
  const large = sizes.find((one) => one.bytes > DOCUMENT_BYTES_MAX)
  if (large !== undefined) {
    return yield* new DocumentRefused({
      key: large.documentId,
      reason: `it has ${large.bytes} bytes of text, at most ${DOCUMENT_BYTES_MAX} are allowed`
    })
  }
  // Reads the next group while one is written. An instance without a checkpoint has no keys.
  const groups = groupsOf(sizes)
  const kept = { ...step, to: from?.stored ?? to.stored }
  yield* Stream.fromIterable(groups).pipe(
    Stream.mapEffect((ids) => source.read(instanceId, ids), { concurrency: 2 }),
    Stream.zipWithIndex,
    Stream.runForEach(([changes, at]) => index.apply(at === groups.length - 1 ? step : kept, changes))
  )
  if (groups.length === 0) yield* index.apply(step, [])
})

/** In the given order. Only a group of one document may exceed the bounds. */
const groupsOf = (sizes: ReadonlyArray<DocumentSize>): ReadonlyArray<ReadonlyArray<number>> => {
  const groups: Array<Array<number>> = []
  let texts = 0
  let bytes = 0
  for (const size of sizes) {
    const group = groups.at(-1)
    const fits = texts + size.texts <= GROUP_MESSAGES_MAX && bytes + size.bytes <= GROUP_BYTES_MAX
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
