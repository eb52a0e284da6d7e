// Searches client memory (actions, state, session messages, working contexts) by words or by recency.
import { Context, Effect, Layer } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { ContextPlan } from "../context/read/ContextPlan.ts"
import type { Conversation } from "../context/read/ConversationQuery.ts"
import { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { Reading } from "../search/text/Readings.ts"
import { correctedQuery } from "../search/text/TextQuery.ts"
import {
  type DocumentQuery,
  everyDocument,
  type IndexStatus,
  type ScoreParts
} from "../search/DocumentIndex.ts"
import { MemoryIndex } from "./MemoryIndex.ts"
import { type FoundMemory, type MemoryEntry, MemoryStore } from "./MemoryStore.ts"

/** Hidden entries that a search excludes at most. */
const MEMORY_HIDDEN_MAX = 10_000
/** Entries requested from the index at most. */
const MEMORY_CANDIDATES_MAX = 800
/** Factor by which the request grows after hidden entries were dropped. */
const MEMORY_WIDENING = 4

/** The range is that of the time of an entry; without a query the newest entries come first. */
export interface MemoryQuery extends Pick<ContextPlan, "textQuery" | "minScore" | "explain" | "from" | "to"> {
  readonly caller: Caller
  readonly clientId: number
  /** The caller sees every appeal of the instance: no entry is hidden. */
  readonly seesAll: boolean
  /** Entries of its sessions are not found. */
  readonly leftOut: Conversation | null
  readonly limit: number
  /** Epoch milliseconds. */
  readonly deadline: number
}

export interface FoundMemories {
  readonly indexStatus: IndexStatus
  readonly memories: ReadonlyArray<FoundMemory>
  /** Corrected words of the query. */
  readonly readings: ReadonlyArray<Reading>
  /** The parts of the score of each memory, by id. */
  readonly parts: ReadonlyMap<string, ScoreParts>
  /** The best entries below minScore, at most `limit`; only to explain the pack. */
  readonly dropped: ReadonlyArray<FoundMemory>
}

/** All results are re-checked in the primary database: none references an appeal that the caller may not see. */
export class ClientMemory extends Context.Service<ClientMemory>()("core/memory/ClientMemory", {
  make: Effect.gen(function* () {
    const index = yield* MemoryIndex
    const store = yield* MemoryStore

    const status = (instanceId: number) => Effect.mapError(index.status(instanceId), ofMemory)

    // The search excludes entries of hidden appeals, so that they cause no corrections and fill no page. Hidden entries that it
    // still returns are dropped, and the search is repeated with a larger limit.
    const find = Effect.fn("ClientMemory.find")(function* (query: MemoryQuery) {
      const indexStatus = yield* status(query.caller.instanceId)
      if (!indexStatus.ready) return yield* notReady
      const { caller, clientId, leftOut, limit } = query
      const hiddenIds =
        query.seesAll && leftOut === null
          ? []
          : yield* store.hiddenIds(caller, clientId, leftOut, MEMORY_HIDDEN_MAX + 1)
      for (let count = query.limit; ; count = Math.min(MEMORY_CANDIDATES_MAX, count * MEMORY_WIDENING)) {
        const found = yield* index.search(searchOf(query, hiddenIds, count)).pipe(Effect.mapError(ofMemory))
        const relevant = found.candidates.filter(({ score }) => (score ?? 1) >= query.minScore)
        const byEntry = new Map(found.candidates.map((one) => [one.documentId, one]))
        const textQuery = query.textQuery === null ? null : correctedQuery(query.textQuery, found.readings)
        const entriesOf = (wanted: typeof relevant) =>
          wanted.length === 0
            ? Effect.succeed([])
            : store.entries(caller, clientId, {
                entryIds: wanted.map(({ documentId }) => documentId),
                leftOut,
                limit,
                wordStarts: textQuery?.starts ?? []
              })
        const withScore = ({ entryId, ...memory }: MemoryEntry): FoundMemory => ({
          ...memory,
          score: byEntry.get(entryId)?.score ?? null
        })
        const entries = yield* entriesOf(relevant)
        if (
          entries.length >= limit ||
          !found.more ||
          relevant.length < found.candidates.length ||
          count >= MEMORY_CANDIDATES_MAX
        )
          return {
            indexStatus,
            memories: entries.map(withScore),
            parts: new Map(
              entries.flatMap(({ entryId, id }) => {
                const parts = byEntry.get(entryId)?.parts
                return parts === undefined ? [] : [[id, parts] as const]
              })
            ),
            dropped: query.explain
              ? (yield* entriesOf(found.candidates.slice(relevant.length))).map(withScore)
              : [],
            // With more hidden entries than the search excluded, a correction could come from a hidden one.
            readings: hiddenIds.length > MEMORY_HIDDEN_MAX ? [] : found.readings
          }
      }
    })

    return { find, status }
  })
}) {
  static readonly layer = Layer.effect(ClientMemory, ClientMemory.make)
}

const notReady = Effect.fail(
  new SourceUnavailable({ source: "client_memory", reason: "client_memory_not_ready" })
)

const searchOf = (
  { caller, clientId, deadline, from, textQuery, to }: MemoryQuery,
  hiddenIds: ReadonlyArray<number>,
  limit: number
): DocumentQuery => ({
  instanceId: caller.instanceId,
  scope: { _tag: "Client", clientId },
  visibility: { ...everyDocument, hiddenIds },
  query: textQuery?.query ?? null,
  from,
  to,
  limit,
  passagesPerDocument: 0,
  deadline
})

/** Reports a fault of this index as one of client memory. */
const ofMemory = ({ cause, reason }: SourceUnavailable): SourceUnavailable =>
  new SourceUnavailable({
    source: "client_memory",
    reason: reason === "search_index_not_ready" ? "client_memory_not_ready" : reason,
    cause
  })
