// What is remembered about a client: their actions, state, session messages and working contexts, by words or by recency.
import { Context, Effect, Layer } from "effect"
import type { Caller } from "../access/Caller.ts"
import { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { Reading } from "../search/text/Readings.ts"
import { type Sought, soughtAs } from "../search/text/Sought.ts"
import { type DocumentQuery, everyDocument, type IndexStatus } from "../search/DocumentIndex.ts"
import { MemoryIndex } from "./MemoryIndex.ts"
import { type FoundMemory, MemoryStore } from "./MemoryStore.ts"

/** The most entries of client memory that a search excludes. */
const MEMORY_HIDDEN_MAX = 10_000
/** Entries asked of the index of client memory at most. */
const MEMORY_CANDIDATES_MAX = 800
/** How many times as many entries are asked for when hidden ones were dropped. */
const MEMORY_WIDENING = 4

/** Times of the range are epoch milliseconds, half-open, and match a memory's own time. */
export interface MemoryQuery {
  readonly caller: Caller
  readonly clientId: number
  /** The caller sees every appeal of the instance: no entry is hidden. */
  readonly seesAll: boolean
  /** Null: newest first. */
  readonly sought: Sought | null
  readonly from: number | null
  readonly to: number | null
  readonly limit: number
  /** Epoch milliseconds. */
  readonly deadline: number
}

export interface FoundMemories {
  readonly memories: ReadonlyArray<FoundMemory>
  /** Words of the query that were read otherwise. */
  readonly readings: ReadonlyArray<Reading>
}

/** Everything found has been re-checked in the primary database: nothing names an appeal that the caller may not see. */
export class ClientMemory extends Context.Service<
  ClientMemory,
  {
    readonly find: (query: MemoryQuery) => Effect.Effect<FoundMemories, SourceUnavailable>
    readonly ready: (instanceId: number) => Effect.Effect<boolean, SourceUnavailable>
    readonly status: (instanceId: number) => Effect.Effect<IndexStatus, SourceUnavailable>
  }
>()("core/memory/ClientMemory") {
  static readonly layer = Layer.effect(
    ClientMemory,
    Effect.gen(function* () {
      const index = yield* MemoryIndex
      const store = yield* MemoryStore

      const ready = (instanceId: number) =>
        Effect.map(index.status(instanceId), (indexStatus) => indexStatus.ready)

      // The search is told which entries name an appeal hidden from the caller, so that they change no reading and fill no page.
      // What it names all the same is dropped after it: a page of them is not the end.
      const find = Effect.fn("ClientMemory.find")(function* (query: MemoryQuery) {
        if (!(yield* ready(query.caller.instanceId))) return yield* notReady
        const { caller, clientId, limit } = query
        const hiddenIds = query.seesAll ? [] : yield* store.hiddenIds(caller, clientId, MEMORY_HIDDEN_MAX + 1)
        for (let asked = query.limit; ; asked = Math.min(MEMORY_CANDIDATES_MAX, asked * MEMORY_WIDENING)) {
          const found = yield* index.search(searchOf(query, hiddenIds, asked)).pipe(Effect.mapError(ofMemory))
          const scores = new Map(found.candidates.map(({ documentId, score }) => [documentId, score]))
          const entryIds = [...scores.keys()]
          const sought = query.sought === null ? null : soughtAs(query.sought, found.readings)
          const entries =
            entryIds.length === 0
              ? []
              : yield* store.entries(caller, clientId, { entryIds, limit, wordStarts: sought?.starts ?? [] })
          if (entries.length >= limit || !found.more || asked >= MEMORY_CANDIDATES_MAX)
            return {
              memories: entries.map(({ entryId, ...memory }): FoundMemory => ({
                ...memory,
                score: scores.get(entryId) ?? null
              })),
              // Of more hidden entries than the search was told it could have read one.
              readings: hiddenIds.length > MEMORY_HIDDEN_MAX ? [] : found.readings
            }
        }
      })

      return ClientMemory.of({
        find,
        ready,
        status: (instanceId) => Effect.mapError(index.status(instanceId), ofMemory)
      })
    })
  )
}

const notReady = Effect.fail(
  new SourceUnavailable({ source: "client_memory", reason: "client_memory_not_ready" })
)

const searchOf = (
  { caller, clientId, deadline, from, sought, to }: MemoryQuery,
  hiddenIds: ReadonlyArray<number>,
  limit: number
): DocumentQuery => ({
  instanceId: caller.instanceId,
  scope: { _tag: "Client", clientId },
  visibility: { ...everyDocument, hiddenIds },
  query: sought?.query ?? null,
  from,
  to,
  limit,
  passagesPerDocument: 0,
  deadline
})

/** The same fault of the second index is a fault of client memory. */
const ofMemory = ({ cause, reason }: SourceUnavailable): SourceUnavailable =>
  new SourceUnavailable({
    source: "client_memory",
    reason: reason === "search_index_not_ready" ? "client_memory_not_ready" : reason,
    cause
  })
