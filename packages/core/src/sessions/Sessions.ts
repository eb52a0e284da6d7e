// The use cases of sessions (contract §5).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { ExternalEventConflict, NotFound, PayloadTooLarge, SessionClosed } from "@rapport/contract/Errors.ts"
import { SESSION_MESSAGE_BYTES_MAX, WORKING_CONTEXT_BYTES_MAX } from "@rapport/contract/Limits.ts"
import {
  ContextSession,
  SessionMessage,
  type SessionMessageRequest,
  type SessionMessagesQuery,
  type SessionRequest,
  type WorkingContext,
  WorkingContextSet,
  type WorkingContextWrite
} from "@rapport/contract/sessions/SessionsApi.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { Permissions } from "../access/Permissions.ts"
import type { ClientPermission } from "../clients/ClientContextStore.ts"
import { canonicalBytes } from "../json/CanonicalJson.ts"
import { composedJson, withoutEmpty } from "../receipts/CommandText.ts"
import { Cursors } from "../lists/Cursors.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import { sequencePage } from "../lists/SequencePages.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { type PreparedWrite, type Receipt, Receipts } from "../receipts/Receipts.ts"
import { failedWrite } from "../receipts/WriteOutcomes.ts"
import { firstResult, invalidRequest, unknownFiles, unknownRecord } from "../receipts/Writes.ts"
import { type SessionMessageOutcome, SessionStore, type SessionWriter } from "./SessionStore.ts"

/** A receipt keeps only the id of a message, because messages never change. */
const MessageId = Schema.Struct({ id: SessionMessage.fields.id })

export class Sessions extends Context.Service<Sessions>()("core/sessions/Sessions", {
  make: Effect.gen(function* () {
    const store = yield* SessionStore
    const receipts = yield* Receipts
    const cursors = yield* Cursors
    return {
      ...reads(store, cursors),
      ...updates(store, receipts),

      create: Effect.fn("Sessions.create")(function* (
        session: AuthorizedSession,
        request: SessionRequest,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "context.write")
        const { appeal, clientId: resolvedId } = yield* store.resolve(session, "context.write", request)
        if (resolvedId === null) return yield* invalidRequest([unknownRecord("clientId")])
        if (!appeal) return yield* invalidRequest([unknownRecord("appealId")])
        // Keeps the requested ids: a repeat after a merge of the client is the same command.
        const command = {
          operation: "context.session.create",
          pathIds: [],
          content: withoutEmpty(request, ["metadata"])
        }
        return yield* receipts.once({ caller: session, command, key, answer: ContextSession }, (receipt) =>
          Effect.gen(function* () {
            const clientId = yield* store.lockClient(session.instanceId, resolvedId)
            if (clientId === undefined) return yield* invalidRequest([unknownRecord("clientId")])
            const writer = writerOf(session, key, receipt)
            return yield* openSession(store, writer, "context.write", { ...request, clientId })
          })
        )
      }, orUnavailable),

      add: Effect.fn("Sessions.add")(function* (
        session: AuthorizedSession,
        id: string,
        request: SessionMessageRequest,
        key: IdempotencyKey
      ) {
        yield* requireContentSize(request.content ?? "")
        yield* Permissions.require(session, "context.write")
        const command = {
          operation: "context.session.message",
          pathIds: [id],
          content: withoutEmpty({ ...request, content: request.content ?? "" }, ["metadata", "attachments"])
        }
        const prepared = yield* receipts.prepare({ caller: session, command, key })
        const [outcome] = yield* store.add(session, "context.write", [{ session: { id }, request, prepared }])
        if (outcome === undefined) return yield* Effect.die("a row without an outcome")
        const added = yield* addedMessage(request, outcome, prepared)
        // The key then replays the message of the external id.
        if (outcome._tag === "Known" && key !== null)
          yield* receipts.once({ caller: session, command, key, answer: MessageId }, () =>
            Effect.succeed({ answer: { id: added.answer.id }, replayed: true })
          )
        return added
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Sessions, Sessions.make)
}

type Store = SessionStore["Service"]

const writerOf = (
  session: AuthorizedSession,
  key: IdempotencyKey,
  { id, operation }: Receipt
): SessionWriter => ({ session, operation, receiptId: key === null ? null : id })

const reads = (store: Store, cursors: Cursors["Service"]) => ({
  get: Effect.fn("Sessions.get")(
    (session: AuthorizedSession, id: string) => find(store, session, "context.read", id),
    orUnavailable
  ),

  messages: Effect.fn("Sessions.messages")(function* (
    session: AuthorizedSession,
    id: string,
    query: SessionMessagesQuery
  ) {
    return yield* sequencePage({
      cursors,
      purpose: `session/${session.instanceId}/${id}`,
      query,
      find: (stretch) =>
        Effect.andThen(
          find(store, session, "context.read", id),
          store.messages(session.instanceId, id, stretch)
        )
    })
  }, orUnavailable)
})

const updates = (store: Store, receipts: Receipts["Service"]) => ({
  close: Effect.fn("Sessions.close")(function* (
    session: AuthorizedSession,
    id: string,
    reason: string | null,
    key: IdempotencyKey
  ) {
    yield* find(store, session, "context.write", id)
    const command = { operation: "context.session.close", pathIds: [id], content: { reason } }
    return yield* receipts.once({ caller: session, command, key, answer: ContextSession }, (receipt) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const writer = writerOf(session, key, receipt)
        const { closed, session: closedSession } = yield* store.close(writer, id, reason, now)
        return { answer: closedSession, replayed: !closed }
      })
    )
  }, orUnavailable),

  setWorkingContext: Effect.fn("Sessions.setWorkingContext")(function* (
    session: AuthorizedSession,
    id: string,
    request: WorkingContextWrite,
    key: IdempotencyKey
  ) {
    const workingContext: WorkingContext = {
      goals: [],
      tasks: [],
      entities: [],
      assertions: [],
      sources: [],
      ...request.workingContext
    }
    if (canonicalBytes(workingContext) > WORKING_CONTEXT_BYTES_MAX)
      return yield* new PayloadTooLarge({
        detail: `workingContext is above ${WORKING_CONTEXT_BYTES_MAX} bytes`
      })
    yield* find(store, session, "context.write", id)
    const command = {
      operation: "context.session.working-context",
      pathIds: [id],
      content: { expectedVersion: request.expectedVersion, workingContext }
    }
    return yield* receipts.once({ caller: session, command, key, answer: WorkingContextSet }, (receipt) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const set = yield* store.setWorkingContext(
          writerOf(session, key, receipt),
          id,
          request.expectedVersion,
          workingContext,
          now
        )
        return set === "closed" ? yield* new SessionClosed() : firstResult(set)
      })
    )
  }, orUnavailable)
})

const find = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  access: ClientPermission,
  id: string
) {
  yield* Permissions.require(session, access)
  return (yield* store.find(session, access, id)) ?? (yield* new NotFound())
})

/**
 * Opens a session or returns the open one with the external id. Fails if that one belongs to another client or is not
 * visible. Runs in a transaction.
 */
export const openSession = Effect.fnUntraced(function* (
  store: SessionStore["Service"],
  writer: SessionWriter,
  access: ClientPermission,
  request: SessionRequest
) {
  const { isCreated, session } = yield* store.create(writer, request, yield* Clock.currentTimeMillis)
  if (isCreated) return firstResult(session)
  const isOwn = session.clientId === request.clientId
  const visible = isOwn ? yield* store.find(writer.session, access, session.id) : undefined
  return visible === undefined ? yield* new ExternalEventConflict() : { answer: visible, replayed: true }
})

const encoder = new TextEncoder()

/** Measures the UTF-8 bytes of the content (contract §5). */
export const requireContentSize = (content: string): Effect.Effect<void, PayloadTooLarge> =>
  content.length <= SESSION_MESSAGE_BYTES_MAX &&
  encoder.encode(content).byteLength <= SESSION_MESSAGE_BYTES_MAX
    ? Effect.void
    : Effect.fail(new PayloadTooLarge({ detail: `content is above ${SESSION_MESSAGE_BYTES_MAX} bytes` }))

/** `attachments` is the path of that member in the request. */
export const addedMessage = Effect.fnUntraced(function* (
  request: SessionMessageRequest,
  outcome: SessionMessageOutcome,
  prepared: Pick<PreparedWrite, "refusal">,
  attachments = "attachments"
) {
  switch (outcome._tag) {
    case "Added":
      return firstResult(outcome.message)
    case "Replayed":
      return { answer: outcome.message, replayed: true }
    case "Known":
      if (!isSame(outcome.message, request)) return yield* new ExternalEventConflict()
      return { answer: outcome.message, replayed: true }
    case "Closed":
      return yield* new SessionClosed()
    case "UnknownFile":
      return yield* invalidRequest([unknownFiles(attachments)])
    default:
      return yield* failedWrite(outcome, prepared)
  }
})

/** Without occurredAt the stored time is that of arrival, which a repeat cannot know. */
const isSame = (stored: SessionMessage, request: SessionMessageRequest): boolean =>
  stored.role === request.role &&
  composedText(stored.content) === composedText(request.content ?? "") &&
  stored.attachments.map(({ id }) => id).join() === (request.attachments ?? []).join() &&
  (request.occurredAt === undefined || stored.occurredAt === request.occurredAt) &&
  composedJson(stored.metadata ?? {}) === composedJson(request.metadata ?? {})
