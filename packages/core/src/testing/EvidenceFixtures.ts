// Small appeals for tests of the search index. Every member has a default.
import { AppealIndex, AppealProjection } from "../appeals/AppealIndex.ts"
import { Clock, Effect } from "effect"
import { type DocumentVisibility, type DocumentQuery, everyDocument } from "../search/DocumentIndex.ts"
import { type DocumentChange, type IndexedDocument } from "../search/DocumentProjection.ts"
import type { IndexCopy, IndexCheckpoint } from "../search/IndexCheckpoint.ts"

export const nothing: DocumentVisibility = { ...everyDocument, everything: false }

/** Midnight of 2026-03-01, UTC. */
export const firstDay = Date.UTC(2026, 2, 1)
export const dayMillis = 86_400_000

type Draft = Partial<Omit<IndexedDocument, "texts">> & {
  /** Message ids are documentId × 1000 + place, from 1. */
  readonly texts?: ReadonlyArray<string | { readonly speaker: string; readonly text: string }> | null
}

/** A closed chat of client 1 on subject 1, answered by user 1, created on the day of its id after `firstDay`. */
export const appeal = ({ documentId = 1, texts = [], ...draft }: Draft): IndexedDocument => ({
  documentId,
  revision: 1,
  clientId: 1,
  subjectId: 1,
  operatorId: 1,
  operatorIds: [1],
  authorId: null,
  closed: true,
  createdAt: firstDay + documentId * dayMillis,
  heading: null,
  ...draft,
  texts:
    texts?.map((one, at) => ({
      id: documentId * 1_000 + at + 1,
      ...(typeof one === "string" ? { speaker: null, text: one } : one)
    })) ?? null
})

export const upsert = (document: IndexedDocument): DocumentChange => ({ _tag: "Upsert", document })
export const removal = (documentId: number, revision: number): DocumentChange => ({
  _tag: "Removal",
  documentId,
  revision
})

let lastInstance = 0
/** The id of an instance that no other test uses. */
export const newInstance = Effect.sync(() => ++lastInstance)

export const indexCheckpoint = (instanceId: number, checkpoint = "1", complete = true): IndexCheckpoint => ({
  instanceId,
  checkpoint,
  complete,
  indexedAt: firstDay
})

/** The checkpoint of the instance in a copy. */
export const checkpointOf = (instanceId: number, copy: IndexCopy = "active") =>
  Effect.gen(function* () {
    const projection = yield* AppealProjection
    const marks = yield* projection.checkpoints(copy)
    return marks.find((mark) => mark.instanceId === instanceId)?.checkpoint ?? null
  })

/** Writes the changes after the current checkpoint, and marks the instance as complete. */
export const write = (
  instanceId: number,
  changes: ReadonlyArray<DocumentChange>,
  copy: IndexCopy = "active"
) =>
  Effect.gen(function* () {
    const projection = yield* AppealProjection
    const from = yield* checkpointOf(instanceId, copy)
    const to = indexCheckpoint(instanceId, String(Number(from ?? "0") + 1))
    yield* projection.apply({ copy, from, to }, changes)
  })

/** Writes appeals; their ids are their places, from 1, unless they have others. */
export const writeAppeals = (instanceId: number, drafts: ReadonlyArray<Draft>, copy?: IndexCopy) =>
  write(
    instanceId,
    drafts.map((draft, at) => upsert(appeal({ documentId: at + 1, ...draft }))),
    copy
  )

/** The id of a new instance with these appeals. */
export const indexAppeals = (...drafts: ReadonlyArray<Draft>) =>
  Effect.tap(newInstance, (id) => writeAppeals(id, drafts))

/** Searches client 1 with full visibility, changed by `over`. */
export const searchAppeals = (instanceId: number, over: Partial<DocumentQuery> = {}) =>
  Effect.gen(function* () {
    const index = yield* AppealIndex
    return yield* index.search({
      instanceId,
      scope: { _tag: "Client", clientId: 1 },
      visibility: everyDocument,
      query: null,
      from: null,
      to: null,
      limit: 20,
      passagesPerDocument: 3,
      deadline: (yield* Clock.currentTimeMillis) + 10_000,
      ...over
    })
  })

/** The appeals found, in order. */
export const foundIds = (instanceId: number, over: Partial<DocumentQuery> = {}) =>
  Effect.map(searchAppeals(instanceId, over), ({ candidates }) => candidates.map((one) => one.documentId))
