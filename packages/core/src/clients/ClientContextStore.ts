// Port of what is written down about a client: actions and state, one row a fact, versions kept (contract §4).
import type { ActionRequest, ClientAction, ClientState } from "@rapport/contract/clients/ClientContextApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { IdempotencyInProgress } from "@rapport/contract/Errors.ts"
import { Context } from "effect"
import type { Writer } from "../audit/Writer.ts"
import { mergePatch } from "../json/MergePatch.ts"
import type { ListRequest, ListRows } from "../lists/ListRequest.ts"
import type { PreparedWrite } from "../receipts/Receipts.ts"
import type { RefusedWrite, ReplayedWrite } from "../receipts/WriteOutcomes.ts"
import type { Stored } from "../lists/Stored.ts"

/** What a command names, as the caller may use it; `clientId` is the survivor's of a merged client. */
export interface NamedByAction {
  readonly clientId: number
  /** True where nothing was named. */
  readonly appeal: boolean
  readonly subject: boolean
}

export interface StateTarget {
  readonly instanceId: number
  readonly clientId: number
  readonly namespace: string
}

/** The next state of a namespace, compared and set. Null expects no version. */
export interface StateChange extends Pick<StateTarget, "namespace"> {
  readonly expectedVersion: number | null
  /** merge: `state` is a patch of the present state. */
  readonly mode: "replace" | "merge"
  readonly state: ClientState["state"]
  readonly updatedAt: number
}

/** An action, a state, or an action with the state that it changes. */
export interface ClientWrite {
  readonly writer: Writer
  readonly prepared: PreparedWrite
  /** As the request names it: a merged client stands for its survivor. */
  readonly clientId: number
  /** `fingerprint` is that of the external event, without the client. */
  readonly action: { readonly members: ClientAction; readonly fingerprint: string } | null
  readonly state: StateChange | null
  /** How a repeat of an imported state is recognized. */
  readonly imported: {
    readonly source: string
    readonly externalId: string
    readonly fingerprint: string
  } | null
}

export type ClientWriteOutcome =
  | RefusedWrite
  /** The answer under the key, or of the same external event; null of an imported state. */
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

/** The permission under which a client is named. */
export type Access = "context.read" | "context.write" | "imports.write"

/** Times are epoch milliseconds. */
export class ClientContextStore extends Context.Service<
  ClientContextStore,
  {
    /** `named` is undefined when the client is unknown, foreign or not visible, or the permission is gone. */
    readonly resolve: (
      session: AuthorizedSession,
      access: Access,
      clientId: number,
      named: Pick<ActionRequest, "appealId" | "subjectId">
    ) => Stored<{ readonly isAllowed: boolean; readonly named: NamedByAction | undefined }>
    /**
     * Writes rows of one caller, each with its receipt and audit entries, or with nothing at all. Outcomes are in the order of the
     * rows, which take effect in that order where they concern the same key, event or namespace.
     */
    readonly write: (
      session: AuthorizedSession,
      access: Access,
      rows: ReadonlyArray<ClientWrite>
    ) => Stored<ReadonlyArray<ClientWriteOutcome>, IdempotencyInProgress>
    readonly findState: (target: StateTarget) => Stored<ClientState | undefined>
    readonly listStates: (instanceId: number, clientId: number, request: ListRequest) => Stored<ListRows>
    readonly listHistory: (target: StateTarget, request: ListRequest) => Stored<ListRows>
    /** Actions that name an appeal which the caller may not see are left out. */
    readonly listActions: (
      session: AuthorizedSession,
      clientId: number,
      request: ListRequest
    ) => Stored<ListRows>
  }
>()("core/clients/ClientContextStore") {}
