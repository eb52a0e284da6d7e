// Whether the service takes a write now: an instance within its quota, and a disk with space left. Asked by what keeps receipts,
// after a request was judged and before its effect, so that no write forgets it (contract §11).
import type { QuotaExceeded } from "@rapport/contract/Errors.ts"
import { Context, Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"

export const WriteCapacity = Context.Reference<{
  /** From memory: it costs a write nothing. */
  readonly pass: (
    instanceId: number,
    operation: string
  ) => Effect.Effect<void, QuotaExceeded | SourceUnavailable>
}>("core/capacity/WriteGate", { defaultValue: () => ({ pass: () => Effect.void }) })

/** A message of a client that a provider brings: it comes without a receipt. */
export const inboundMessage = "inbound.message"
/** What a broadcast that runs writes next; it began within the quota. */
export const broadcastTurn = "broadcast.turn"

const adding: ReadonlySet<string> = new Set([
  "client.action.register",
  "client.state.put",
  "context.session.message",
  "context.session.working-context",
  "context.import",
  "chat.message",
  "ticket.message",
  "record.upsert",
  // Recipients are written down at the start; each of them gets a message, and often a chat.
  "broadcast.start",
  "broadcast.resume",
  "call_node",
  inboundMessage
])

/** Writes that add to what an instance stores; an instance above its quota may still change, end and delete what it has. */
export const isGrowing = (operation: string): boolean =>
  adding.has(operation) || operation.endsWith(".create")

/** Writes that make space or take a right away: a full disk does not refuse them. */
export const isFreeing = (operation: string): boolean =>
  operation.endsWith(".delete") || operation === "client.erase" || operation === "user.block"
