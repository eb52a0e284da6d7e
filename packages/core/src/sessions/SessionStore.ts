// Port of sessions in the primary database: bound to a client for ever, messages in gapless order (contract §5).
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
import type { Writer } from "../audit/Writer.ts"
import type { Access, NamedByAction } from "../clients/ClientContextStore.ts"
import type { SequenceFound, SequenceStretch } from "../lists/SequencePages.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { PreparedWrite } from "../receipts/Receipts.ts"
import type { RefusedWrite } from "../receipts/WriteOutcomes.ts"
import type { Stored } from "../lists/Stored.ts"

/** A message for a session. */
export interface SessionMessageRow {
  /** By an external id: the open session that has it, else the latest one. */
  readonly session: { readonly id: string } | { readonly externalId: string }
  readonly request: SessionMessageRequest
  /** The receipt keeps only the id of the message. */
  readonly prepared: PreparedWrite
}

/** `Replayed` is the message under the key, `Known` the earlier message with the external id. */
export type SessionMessageOutcome =
  | { readonly _tag: "Added" | "Replayed" | "Known"; readonly message: SessionMessage }
  | RefusedWrite
  | { readonly _tag: "Closed" }

/** Writes except `add` are to be run in a transaction of Receipts; times are epoch milliseconds. */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** What a new session names, as the caller may use it; undefined where the caller cannot see the client. */
    readonly resolve: (
      session: AuthorizedSession,
      access: Access,
      request: Pick<SessionRequest, "clientId" | "appealId">
    ) => Stored<Pick<NamedByAction, "clientId" | "appeal"> | undefined>
    /** As that of ClientContextStore. */
    readonly hold: (instanceId: number, clientId: number) => Stored<number | undefined>
    /** The open session with the external id where there is one, of any client; its transaction is waited for. */
    readonly create: (
      writer: Writer,
      request: SessionRequest,
      now: number
    ) => Effect.Effect<
      { readonly made: boolean; readonly session: ContextSession },
      SourceUnavailable | IdempotencyInProgress
    >
    /** Undefined when unknown, foreign, or of a client or appeal that the caller may not see. */
    readonly find: (
      session: AuthorizedSession,
      access: Access,
      id: string
    ) => Stored<ContextSession | undefined>
    /**
     * Appends each message to its session, without gaps in the sequence. One statement, no transaction needed; an outcome for each
     * row, in their order.
     */
    readonly add: (
      writer: Omit<Writer, "receiptId">,
      access: Access,
      rows: ReadonlyArray<SessionMessageRow>
    ) => Stored<ReadonlyArray<SessionMessageOutcome>, IdempotencyInProgress>
    /** The session as it was closed, now or before. */
    readonly close: (
      writer: Writer,
      id: string,
      reason: string | null,
      now: number
    ) => Stored<{ readonly closed: boolean; readonly session: ContextSession }>
    readonly setWorkingContext: (
      writer: Writer,
      id: string,
      expectedVersion: number,
      workingContext: WorkingContext,
      now: number
    ) => Stored<WorkingContextSet | "closed", VersionConflict>
    /** Undefined where `around` names no message of the session. */
    readonly messages: (
      instanceId: number,
      id: string,
      stretch: SequenceStretch<string>
    ) => Stored<SequenceFound<SessionMessage> | undefined>
  }
>()("core/sessions/SessionStore") {}
