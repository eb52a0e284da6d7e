// Port of sessions in the primary database (contract §5).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { IdempotencyInProgress, VersionConflict } from "@rapport/contract/Errors.ts"
import type {
  ContextSession,
  SessionMessage,
  SessionMessageRequest,
  SessionRequest,
  WorkingContext,
  WorkingContextSet
} from "@rapport/contract/sessions/SessionsApi.ts"
import { Context, type Effect } from "effect"
import type { ClientPermission } from "../clients/ClientContextStore.ts"
import type { SequenceFound, SequenceStretch } from "../lists/SequencePages.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { PreparedWrite } from "../receipts/Receipts.ts"
import type { RefusedWrite } from "../receipts/WriteOutcomes.ts"
import type { StoreEffect } from "../lists/StoreMethods.ts"

/** The author of a change, for its audit entry (contract §9, "Audit log"). */
export interface SessionWriter {
  readonly session: AuthorizedSession
  /** The action of the entry, for example `context.session.create`. */
  readonly operation: string
  /** Null for a write without a key, which leaves no receipt. */
  readonly receiptId: string | null
  /** The import batch of the write. */
  readonly batchId?: string
}

/** A message for a session. */
export interface SessionMessageRow {
  /** An external id refers to its open session, else to the latest one. */
  readonly session: { readonly id: string } | { readonly externalId: string }
  readonly request: SessionMessageRequest
  /** The receipt keeps only the id of the message. */
  readonly prepared: PreparedWrite
}

/** `Replayed` is the message under the key, `Known` the earlier message with the external id. */
export type SessionMessageOutcome =
  | { readonly _tag: "Added" | "Replayed" | "Known"; readonly message: SessionMessage }
  | RefusedWrite
  | { readonly _tag: "Closed" | "UnknownFile" }

/** Writes except `add` run in a transaction of Receipts. Times are epoch milliseconds. */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** `clientId` is the survivor, null if the caller cannot see the client. `appeal`: the caller may use it, or none is named. */
    readonly resolve: (
      session: AuthorizedSession,
      access: ClientPermission,
      request: Pick<SessionRequest, "clientId" | "appealId">
    ) => StoreEffect<{ readonly clientId: number | null; readonly appeal: boolean }>
    /** Locks the client against merges and erasures; returns the survivor, undefined if it was erased. */
    readonly lockClient: (instanceId: number, clientId: number) => StoreEffect<number | undefined>
    /** Returns an open session with the external id, of any client, instead of a new one. Waits for its transaction. */
    readonly create: (
      writer: SessionWriter,
      request: SessionRequest,
      now: number
    ) => Effect.Effect<
      { readonly isCreated: boolean; readonly session: ContextSession },
      SourceUnavailable | IdempotencyInProgress
    >
    /** Undefined if unknown, or if the caller may not see its client or appeal. */
    readonly find: (
      session: AuthorizedSession,
      access: ClientPermission,
      id: string
    ) => StoreEffect<ContextSession | undefined>
    /**
     * Appends each message to its session, without gaps in the sequence. One statement, without a transaction. Outcomes have the
     * order of the rows.
     */
    readonly add: (
      session: AuthorizedSession,
      access: ClientPermission,
      rows: ReadonlyArray<SessionMessageRow>,
      batchId?: string
    ) => StoreEffect<ReadonlyArray<SessionMessageOutcome>, IdempotencyInProgress>
    /** `closed` is false if the session was closed before. */
    readonly close: (
      writer: SessionWriter,
      id: string,
      reason: string | null,
      now: number
    ) => StoreEffect<{ readonly closed: boolean; readonly session: ContextSession }>
    readonly setWorkingContext: (
      writer: SessionWriter,
      id: string,
      expectedVersion: number,
      workingContext: WorkingContext,
      now: number
    ) => StoreEffect<WorkingContextSet | "closed", VersionConflict>
    /** Undefined if `around` is no message of the session. */
    readonly messages: (
      instanceId: number,
      id: string,
      stretch: SequenceStretch<string>
    ) => StoreEffect<SequenceFound<SessionMessage> | undefined>
  }
>()("core/sessions/SessionStore") {}
