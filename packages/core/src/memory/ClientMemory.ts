// Port of what is remembered about a client: his actions, state and session messages, found by words or by recency.
import { Context, Effect, Layer } from "effect"
import type { Caller } from "../access/Caller.ts"
import { SourceUnavailable } from "../readiness/SourceUnavailable.ts"

/** Times of the range are epoch milliseconds, half-open, and match a memory's own time. */
export interface MemoryQuery {
  readonly caller: Caller
  readonly clientId: number
  /** Null: newest first. */
  readonly query: string | null
  readonly from: number | null
  readonly to: number | null
  readonly limit: number
  /** Epoch milliseconds. */
  readonly deadline: number
}

/** `occurredAt` as the wire shows it. `sessionId` of a message, `namespace` of a state; null elsewhere. */
export interface FoundMemory {
  readonly kind: "action" | "state" | "message"
  readonly id: string
  readonly text: string
  readonly occurredAt: string
  /** 0…1, null without a query. */
  readonly score: number | null
  readonly sessionId: string | null
  readonly namespace: string | null
  /** The appeal it names, which the caller may see. */
  readonly appealId: number | null
}

/** Everything found has been re-checked in the primary database: nothing names an appeal that the caller may not see. */
export class ClientMemory extends Context.Service<
  ClientMemory,
  {
    readonly find: (query: MemoryQuery) => Effect.Effect<ReadonlyArray<FoundMemory>, SourceUnavailable>
    readonly ready: (instanceId: number) => Effect.Effect<boolean, SourceUnavailable>
  }
>()("core/memory/ClientMemory") {
  /** Until an index of client memory reports that it is ready, there is none, and no hidden fallback. */
  static readonly layerNotReady = Layer.succeed(ClientMemory, {
    find: () =>
      Effect.fail(new SourceUnavailable({ source: "client_memory", reason: "client_memory_not_ready" })),
    ready: () => Effect.succeed(false)
  })
}
