// Port that accepts or refuses writes by quota and disk space. Receipts call it before every effect (contract §11).
import type { QuotaExceeded } from "@rapport/contract/Errors.ts"
import { Context, Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"

export const WriteCapacity = Context.Reference<{
  /** Answers from memory. */
  readonly pass: (
    instanceId: number,
    operation: string
  ) => Effect.Effect<void, QuotaExceeded | SourceUnavailable>
}>("core/capacity/WriteGate", { defaultValue: () => ({ pass: () => Effect.void }) })

/** An inbound message, which has no receipt. */
export const inboundMessage = "inbound.message"
/** The messages of a running broadcast, which was started within the quota. */
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
  // Each recipient gets a message, and often a chat.
  "broadcast.start",
  "broadcast.resume",
  "call_node",
  inboundMessage
])

/** Writes that add data; an instance above its quota may still change and delete its data. */
export const isGrowing = (operation: string): boolean =>
  adding.has(operation) || operation.endsWith(".create")

/** Writes that free space or revoke rights: a full disk does not refuse them. */
export const isFreeing = (operation: string): boolean =>
  operation.endsWith(".delete") || operation === "client.erase" || operation === "user.block"
