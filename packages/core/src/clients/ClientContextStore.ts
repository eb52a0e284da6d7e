// Port of what is written down about a client: actions and state, one row a fact, versions kept (docs/contract.md §4).
import type {
  ActionRegistered,
  ActionRequest,
  ClientAction,
  ClientState
} from "@rapport/contract/clients/ClientContextApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { IdempotencyInProgress, VersionConflict } from "@rapport/contract/Errors.ts"
import { Context, type Effect } from "effect"
import type { Writer } from "../audit/Writer.ts"
import type { ListRequest, ListRows } from "../lists/ListRequest.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { Claim, Receipt } from "../receipts/Receipts.ts"
import type { Stored } from "../lists/Stored.ts"

/** What a command names, as the caller may use it; `clientId` is the survivor's of a merged client. */
export interface NamedByAction {
  readonly clientId: number
  /** True where nothing was named. */
  readonly appeal: boolean
  readonly subject: boolean
}

/** An action as it was first registered, with all that its repeat answers (docs/contract.md §4). */
interface Registered {
  readonly receipt: Receipt
  readonly action: ClientAction
  readonly state: ClientState | null
}

/** Of a statement that reads the session as well: whether it still is one, and holds the permission. */
interface AtOnce {
  readonly isAllowed: boolean
}

export interface StateTarget {
  readonly instanceId: number
  readonly clientId: number
  readonly namespace: string
}

/** The client has CLIENT_NAMESPACES_MAX namespaces, and this would be one more. */
export class NamespacesFull {
  readonly _tag = "NamespacesFull"
}

/** The permission under which a client is named. */
export type Access = "context.read" | "context.write" | "imports.write"

/** Writes but those at once are to be run in a transaction of Receipts; times are epoch milliseconds. */
export class ClientContextStore extends Context.Service<
  ClientContextStore,
  {
    /** `named` is undefined when the client is unknown, foreign or not visible, or the permission is gone. */
    readonly resolve: (
      session: AuthorizedSession,
      access: Access,
      clientId: number,
      named: Pick<ActionRequest, "appealId" | "subjectId">
    ) => Stored<AtOnce & { readonly named: NamedByAction | undefined }>
    /**
     * In a transaction: the client's present id, held until its end, so that a merge or an erasure comes before it or after;
     * undefined once it is erased.
     */
    readonly hold: (instanceId: number, clientId: number) => Stored<number | undefined>
    /**
     * Undefined when it went in; else what the same external event has left before, whose transaction is waited for: of
     * several that a merge brought together the one with this fingerprint, where there is one. `fingerprint` is that of
     * the whole event, the client left out. "seeded": the event came with the demo data, and its command is unknown.
     */
    readonly register: (
      writer: Writer,
      action: ClientAction,
      receipt: Receipt,
      fingerprint: string
    ) => Effect.Effect<
      (Registered & { readonly fingerprint: string }) | "seeded" | undefined,
      SourceUnavailable | IdempotencyInProgress
    >
    /**
     * The same of an action without an external event, with its receipt, in one statement that needs no transaction and judges what
     * the action names, perhaps together with others of the instance. Nothing is written where the key is taken, or where a
     * record is not the caller's to use under the id that was sent.
     */
    readonly registerAtOnce: (
      writer: Writer,
      answer: ActionRegistered,
      claim: Claim
    ) => Stored<AtOnce & { readonly written: boolean }, IdempotencyInProgress>
    /** Keeps what the action wrote beside itself, for repeats by external event. */
    readonly complete: (instanceId: number, actionId: string, state: ClientState) => Stored<void>
    /**
     * Compare-and-set: `decide` makes the next state of the present one (null: none yet). The row is locked, the
     * version after it is `expectedVersion` + 1 and its history is kept. Null writes whatever the version is.
     */
    readonly write: <E>(
      writer: Writer,
      target: StateTarget,
      expectedVersion: number | null,
      now: number,
      decide: (
        present: Readonly<Record<string, unknown>> | null
      ) => Effect.Effect<Readonly<Record<string, unknown>>, E>
    ) => Effect.Effect<ClientState, E | NamespacesFull | VersionConflict | SourceUnavailable>
    /**
     * The same of a state that is known, with its receipt, in one statement as `registerAtOnce`. Who loses learns the version that
     * stands; both are null where a transaction has to judge: the key is taken, the namespace new, the client not the caller's.
     */
    readonly writeAtOnce: (
      writer: Writer,
      target: StateTarget,
      expectedVersion: number | null,
      state: Readonly<Record<string, unknown>>,
      claim: Claim
    ) => Stored<AtOnce & { readonly state: ClientState | null; readonly conflict: number | null }>
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
