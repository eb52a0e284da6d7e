// Small appeals for tests of the search index: everything but the texts has a default.
import { Clock, Effect } from "effect"
import { type AppealVisibility, EvidenceIndex, type EvidenceQuery } from "../search/EvidenceIndex.ts"
import {
  type EvidenceChange,
  type EvidenceDocument,
  EvidenceProjection
} from "../search/EvidenceProjection.ts"
import type { IndexCopy, IndexCheckpoint } from "../search/IndexCheckpoint.ts"

export const everything: AppealVisibility = {
  everything: true,
  closed: false,
  subjectIds: [],
  unassignedSubjectIds: [],
  participantIds: [],
  authorIds: []
}
export const nothing: AppealVisibility = { ...everything, everything: false }

/** Midnight of 2026-03-01, UTC. */
export const firstDay = Date.UTC(2026, 2, 1)
export const dayMillis = 86_400_000

type Draft = Partial<Omit<EvidenceDocument, "messages">> & {
  readonly appealId: number
  /** Message ids are appealId × 1000 + place, from 1. */
  readonly texts?: ReadonlyArray<string> | null
}

/** A closed chat of client 1 on subject 1, answered by user 1, created on the day of its id after `firstDay`. */
export const appeal = ({ texts = [], ...draft }: Draft): EvidenceDocument => ({
  revision: 1,
  kind: "chat",
  clientId: 1,
  subjectId: 1,
  operatorId: 1,
  operatorIds: [1],
  authorId: null,
  closed: true,
  createdAt: firstDay + draft.appealId * dayMillis,
  messageCount: texts?.length ?? 6_000,
  title: null,
  description: null,
  messages:
    texts?.map((text, at) => ({
      id: draft.appealId * 1_000 + at + 1,
      authorType: at % 2 === 0 ? ("client" as const) : ("operator" as const),
      speaker: null,
      text,
      occurredAt: firstDay + draft.appealId * dayMillis + at * 60_000
    })) ?? null,
  ...draft
})

export const upsert = (document: EvidenceDocument): EvidenceChange => ({ _tag: "Upsert", document })
export const removal = (appealId: number, revision: number): EvidenceChange => ({
  _tag: "Removal",
  appealId,
  revision
})

let lastInstance = 0
/** An instance of a test's own. */
export const newInstance = Effect.sync(() => ++lastInstance)

export const markOf = (instanceId: number, checkpoint = "1", complete = true): IndexCheckpoint => ({
  instanceId,
  checkpoint,
  complete,
  indexedAt: firstDay
})

/** Where the instance stands in a copy. */
export const checkpointOf = (instanceId: number, copy: IndexCopy = "active") =>
  Effect.gen(function* () {
    const projection = yield* EvidenceProjection
    const marks = yield* projection.checkpoints(copy)
    return marks.find((mark) => mark.instanceId === instanceId)?.checkpoint ?? null
  })

/** Writes the changes where the instance stands, and leaves it complete. */
export const write = (
  instanceId: number,
  changes: ReadonlyArray<EvidenceChange>,
  copy: IndexCopy = "active"
) =>
  Effect.gen(function* () {
    const projection = yield* EvidenceProjection
    const from = yield* checkpointOf(instanceId, copy)
    const to = markOf(instanceId, String(Number(from ?? "0") + 1))
    yield* projection.apply({ copy, from, to }, changes)
  })

/** Asks about client 1, seeing everything, unless told otherwise. */
export const ask = (instanceId: number, over: Partial<EvidenceQuery> = {}) =>
  Effect.gen(function* () {
    const index = yield* EvidenceIndex
    return yield* index.search({
      instanceId,
      scope: { _tag: "Client", clientId: 1 },
      visibility: everything,
      query: null,
      from: null,
      to: null,
      limit: 20,
      passagesPerAppeal: 3,
      deadline: (yield* Clock.currentTimeMillis) + 10_000,
      ...over
    })
  })

/** The appeals found, in order. */
export const found = (instanceId: number, over: Partial<EvidenceQuery> = {}) =>
  Effect.map(ask(instanceId, over), ({ candidates }) => candidates.map((one) => one.appealId))
