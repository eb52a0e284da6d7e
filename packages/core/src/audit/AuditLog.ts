// Port of the audit log: one entry for each change, login and context read; never a secret, and of texts only a message before an edit.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Context, Effect } from "effect"
import { SYSTEM_USER_ID } from "../access/SystemSession.ts"
import { CurrentRequestId } from "@rapport/contract/Errors.ts"

/** The address of the caller, behind trusted proxies as they report it (contract §10); null if there is none. */
export const CurrentAddress = Context.Reference<string | null>("core/audit/CurrentAddress", {
  defaultValue: () => null
})

export interface Origin {
  readonly requestId: string | null
  readonly address: string | null
}

/** The origin of the running request; both null for commands. */
export const currentOrigin: Effect.Effect<Origin> = Effect.gen(function* () {
  const requestId = yield* CurrentRequestId
  return { requestId: requestId === "" ? null : requestId, address: yield* CurrentAddress }
})

export interface AuditActor {
  readonly actorType: "user" | "token" | "system"
  readonly actorId: number | null
}

/** `entity` and `entityId` identify the changed record; `details` contain only ids, names, counts and `textBefore` (contract §7). */
export interface AuditEntry extends AuditActor, Origin {
  readonly instanceId: number
  readonly action: string
  readonly entity: string | null
  readonly entityId: string | null
  readonly decision: "allowed" | "denied"
  readonly details: { readonly [name: string]: string | number | boolean | null | ReadonlyArray<string> }
}

/** The actor of a session: its user or external token, or the system for the command line. */
export const actorOf = ({ tokenId, userId }: Pick<AuthorizedSession, "tokenId" | "userId">): AuditActor => {
  if (tokenId !== null) return { actorType: "token", actorId: tokenId }
  return userId === SYSTEM_USER_ID
    ? { actorType: "system", actorId: null }
    : { actorType: "user", actorId: userId }
}

/**
 * Entries of reads and refusals, written in batches; a change writes its entry in its own transaction. `append` waits only if
 * the queue is full, and a graceful stop writes the queue (contract §9, "Audit log").
 */
export class AuditLog extends Context.Service<
  AuditLog,
  { readonly append: (entry: AuditEntry) => Effect.Effect<void> }
>()("core/audit/AuditLog") {}
