// Port of the audit log: one entry per change, login and context read, with who did it and where from; never a secret, never a
// message's text.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Context, Effect } from "effect"
import { SYSTEM_USER_ID } from "../access/SystemSession.ts"
import { CurrentRequestId } from "@rapport/contract/Errors.ts"

/** The address of the caller, behind trusted proxies the one they report (contract §10); null where there is none. */
export const CurrentAddress = Context.Reference<string | null>("core/audit/CurrentAddress", {
  defaultValue: () => null
})

export interface Origin {
  readonly requestId: string | null
  readonly address: string | null
}

/** The origin of what runs now; both null for commands. */
export const currentOrigin: Effect.Effect<Origin> = Effect.gen(function* () {
  const requestId = yield* CurrentRequestId
  return { requestId: requestId === "" ? null : requestId, address: yield* CurrentAddress }
})

export interface AuditActor {
  readonly actorType: "user" | "token" | "system"
  readonly actorId: number | null
}

/** `entity` and `entityId` name what was touched; `details` are small and hold ids, names and counts alone. */
export interface AuditEntry extends AuditActor, Origin {
  readonly instanceId: number
  readonly action: string
  readonly entity: string | null
  readonly entityId: string | null
  readonly decision: "allowed" | "denied"
  readonly details: { readonly [name: string]: string | number | boolean | null | ReadonlyArray<string> }
}

/** The one who acts in a session: its user, or the external token; the command line has none. */
export const actorOf = ({ tokenId, userId }: Pick<AuthorizedSession, "tokenId" | "userId">): AuditActor => {
  if (tokenId !== null) return { actorType: "token", actorId: tokenId }
  return userId === SYSTEM_USER_ID
    ? { actorType: "system", actorId: null }
    : { actorType: "user", actorId: userId }
}

/**
 * Entries of reads and refusals, written in batches; a change writes its own in its own transaction. `append` waits
 * only when the queue is full, and a graceful stop writes what is left (contract §9, "Audit log").
 */
export class AuditLog extends Context.Service<
  AuditLog,
  { readonly append: (entry: AuditEntry) => Effect.Effect<void> }
>()("core/audit/AuditLog") {}
