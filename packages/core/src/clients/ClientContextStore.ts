// Port of the actions and states of clients (contract §4).
import type { ClientAction, ClientState } from "@rapport/contract/clients/ClientContextApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { IdempotencyInProgress } from "@rapport/contract/Errors.ts"
import { Context } from "effect"
import { mergePatch } from "../json/MergePatch.ts"
import type { ListRequest, ListRows } from "../lists/ListRequest.ts"
import type { PreparedWrite } from "../receipts/Receipts.ts"
import type { RefusedWrite, ReplayedWrite } from "../receipts/WriteOutcomes.ts"
import type { StoreEffect } from "../lists/StoreMethods.ts"

export interface StateTarget {
  readonly instanceId: number
  readonly clientId: number
  readonly namespace: string
}

/** A compare-and-set of the state of a namespace. Without `expectedVersion` there must be no state. */
export interface StateChange extends Pick<StateTarget, "namespace"> {
  readonly expectedVersion: number | null
  /** merge: `state` is a patch of the present state. */
  readonly mode: "replace" | "merge"
  readonly state: ClientState["state"]
  readonly updatedAt: number
}

/** An action, a state, or an action with the state that it changes. */
export interface ClientWrite {
  readonly prepared: PreparedWrite
  /** The import batch of the write. */
  readonly batchId?: string
  /** The requested id, which may be that of a merged client. */
  readonly clientId: number
  /** `fingerprint` belongs to the external event and leaves out the client. */
  readonly action: { readonly members: ClientAction; readonly fingerprint: string } | null
  readonly state: StateChange | null
  /** Identifies a repeat of an imported state. */
  readonly imported: {
    readonly source: string
    readonly externalId: string
    readonly fingerprint: string
  } | null
}

export type ClientWriteOutcome =
  | RefusedWrite
  /** The answer under the key or of the same external event; null for an imported state. */
  | ReplayedWrite
  | { readonly _tag: "Done"; readonly clientId: number; readonly state: ClientState | null }
  | { readonly _tag: "UnknownReferences"; readonly appeal: boolean; readonly subject: boolean }
  /** The external event, or the imported state, has another content. */
  | { readonly _tag: "EventConflict" }
  | { readonly _tag: "VersionConflict"; readonly currentVersion: number }
  /** The client has CLIENT_NAMESPACES_MAX namespaces, and this would be one more. */
  | { readonly _tag: "NamespacesFull" }
  /** The next state is above STATE_BYTES_MAX. */
  | { readonly _tag: "StateTooLarge" }

export const nextState = (
  { mode, state }: StateChange,
  present: ClientState["state"] | null
): ClientState["state"] => (mode === "merge" ? mergePatch(present, state) : state)

/** The permission that a reference to a client needs. */
export type ClientPermission = "context.read" | "context.write" | "imports.write"

/** Times are epoch milliseconds. */
export class ClientContextStore extends Context.Service<
  ClientContextStore,
  {
    /** For reads. `clientId` is the survivor, null if the client is unknown or not visible, or without the permission. */
    readonly resolve: (
      session: AuthorizedSession,
      clientId: number
    ) => StoreEffect<{ readonly isAllowed: boolean; readonly clientId: number | null }>
    /**
     * Writes each row of a caller atomically with its receipt and audit entries. Rows with the same key, event or namespace take
     * effect in order. Outcomes have the order of the rows.
     */
    readonly write: (
      session: AuthorizedSession,
      access: ClientPermission,
      rows: ReadonlyArray<ClientWrite>
    ) => StoreEffect<ReadonlyArray<ClientWriteOutcome>, IdempotencyInProgress>
    readonly findState: (target: StateTarget) => StoreEffect<ClientState | undefined>
    readonly listStates: (instanceId: number, clientId: number, request: ListRequest) => StoreEffect<ListRows>
    readonly listHistory: (target: StateTarget, request: ListRequest) => StoreEffect<ListRows>
    /** Leaves out actions whose appeal the caller may not see. */
    readonly listActions: (
      session: AuthorizedSession,
      clientId: number,
      request: ListRequest
    ) => StoreEffect<ListRows>
  }
>()("core/clients/ClientContextStore") {}
