// The messages of chats and tickets: transcripts, to which citations of packs refer, and writes (contract §7).
import type { MessageRequest } from "@rapport/contract/appeals/Appeal.ts"
import { AppealMessage, type TranscriptQuery } from "@rapport/contract/appeals/AppealsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { NotFound, StateNotAllowed } from "@rapport/contract/Errors.ts"
import { Clock, Context, Effect, Layer, Schema, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { Permissions } from "../access/Permissions.ts"
import { Cursors } from "../lists/Cursors.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import { sequencePage } from "../lists/SequencePages.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { type PreparedWrite, Receipts } from "../receipts/Receipts.ts"
import { failedWrite } from "../receipts/WriteOutcomes.ts"
import { deletion, firstResult, invalidRequest, unknownFiles } from "../receipts/Writes.ts"
import { authorViolation, type MessageDraft } from "./AppealDraft.ts"
import { managePermission, requireClient } from "./AppealRights.ts"
import { type AppealKind, type AppealMessageOutcome, AppealStore, type MessagePlace } from "./AppealStore.ts"
import { deletedMessage, editedMessage } from "./MessageChange.ts"

export class AppealMessages extends Context.Service<AppealMessages>()("core/appeals/AppealMessages", {
  make: Effect.gen(function* () {
    const store = yield* AppealStore
    const receipts = yield* Receipts
    const random = yield* SecureRandom.SecureRandom
    return {
      ...changes(store, receipts),
      list: list(store, yield* Cursors),

      /** A repeated external id returns the stored message, whatever the content. */
      post: Effect.fn("AppealMessages.post")(function* (
        session: AuthorizedSession,
        kind: AppealKind,
        appealId: number,
        request: MessageRequest,
        key: IdempotencyKey
      ) {
        yield* requireManage(session, kind)
        if (request.occurredAt !== undefined && request.occurredAt > (yield* Clock.currentTimeMillis))
          return yield* invalidRequest([{ path: "occurredAt", message: "must not lie in the future" }])
        const own = isOwn(session, request)
        if (!own) yield* Permissions.require(session, "appeals.import")
        const { authorId, authorType } = authorOf(session, request)
        const command = {
          operation: `${kind}.message`,
          pathIds: [appealId],
          content: { authorType: "operator", visibility: "public", ...request }
        }
        const prepared = yield* receipts.prepare({ caller: session, command, key })
        const outcome = yield* store.addMessage(session, {
          kind,
          appealId,
          authorType,
          authorId: authorId ?? null,
          text: request.text ?? "",
          attachmentIds: request.attachments ?? [],
          occurredAt: request.occurredAt ?? prepared.receipt.committedAt,
          externalMessageId: request.externalMessageId ?? null,
          visibility: request.visibility ?? "public",
          // Notes and messages from other systems or of the past are not delivered to the client.
          deliveryId: own && request.visibility !== "internal" ? yield* random.uuidV7() : null,
          prepared
        })
        const answer = yield* answerOf(outcome, authorType, prepared)
        // The key then replays the message of the external id.
        if (outcome._tag === "Known" && key !== null)
          yield* receipts.once({ caller: session, command, key, answer: MessageReceipt }, () =>
            Effect.succeed(answer)
          )
        return answer
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(AppealMessages, AppealMessages.make)
}

/** NotFound for an appeal that is unknown or not visible, and for `around` a message of another appeal. */
const list = (store: AppealStore["Service"], cursors: Cursors["Service"]) =>
  Effect.fn("AppealMessages.list")(function* (
    session: AuthorizedSession,
    kind: AppealKind,
    appealId: number,
    { around, ...query }: TranscriptQuery
  ) {
    const page = yield* sequencePage({
      cursors,
      purpose: `transcript/${session.instanceId}/${appealId}`,
      query: around === undefined ? query : { ...query, around: around.id },
      find: (stretch) =>
        Effect.andThen(
          Permissions.require(session, kind === "chat" ? "chats.read" : "tickets.read"),
          store.listMessages(session, { kind, appealId, ...stretch })
        )
    })
    const message = page.data.find(({ id }) => id === around?.id)
    if (around === undefined || message === undefined) return page
    const changed = message.version !== around.version
    return { ...page, cited: { id: message.id, changed, deleted: message.deletedAt !== null } }
  }, orUnavailable)

const changes = (store: AppealStore["Service"], receipts: Receipts["Service"]) => ({
  edit: Effect.fn("AppealMessages.edit")(function* (
    session: AuthorizedSession,
    place: MessagePlace,
    change: { readonly expectedVersion: number; readonly text: string },
    key: IdempotencyKey
  ) {
    const { appealId, kind, messageId } = place
    yield* requireManage(session, kind)
    const command = { operation: `${kind}.message.update`, pathIds: [appealId, messageId], content: change }
    const updated = yield* receipts.once(
      { caller: session, command, key, answer: AppealMessage, redact: withoutText },
      () =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          yield* requireClient(yield* store.lockClient(session, kind, appealId))
          const edited = yield* store.updateMessage(session, place, (found, isBeingSent) =>
            editedMessage(session, found, { ...change, now, isBeingSent })
          )
          return firstResult(edited ?? (yield* new NotFound()))
        })
    )
    if (!updated.replayed) return updated
    const present = yield* store.updateMessage(session, place, () => Effect.succeed(null))
    return { answer: present ?? (yield* new NotFound()), replayed: true }
  }, orUnavailable),

  /** NotFound if the message is already deleted. */
  remove: Effect.fn("AppealMessages.remove")(function* (session: AuthorizedSession, place: MessagePlace) {
    const { appealId, kind, messageId } = place
    yield* requireManage(session, kind)
    const command = { operation: `${kind}.message.delete`, pathIds: [appealId, messageId] }
    yield* deletion(receipts, session, command, () =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* requireClient(yield* store.lockClient(session, kind, appealId))
        const deleted = yield* store.updateMessage(session, place, (found, isBeingSent) =>
          deletedMessage(session, found, { now, isBeingSent })
        )
        if (deleted === undefined) return yield* new NotFound()
      })
    )
  }, orUnavailable)
})

const requireManage = (session: AuthorizedSession, kind: AppealKind) =>
  Permissions.require(session, managePermission[kind])

/** Receipts keep no text: only the audit log has the text before a change. A repeat of an edit answers with the present message. */
const withoutText = (message: AppealMessage): AppealMessage => ({ ...message, text: "" })
const MessageReceipt = Schema.Struct(Struct.pick(AppealMessage.fields, ["id", "appealId", "delivery"]))

const answerOf = Effect.fnUntraced(function* (
  outcome: AppealMessageOutcome,
  authorType: MessageDraft["authorType"],
  prepared: PreparedWrite
) {
  switch (outcome._tag) {
    case "Added":
      return firstResult(outcome.message)
    case "Replayed":
    case "Known":
      return { answer: outcome.message, replayed: true }
    case "ClientErased":
      return yield* new StateNotAllowed({ detail: "the client of the appeal is erased" })
    case "UnknownAuthor":
      return yield* invalidRequest([authorViolation("authorId", authorType)])
    case "UnknownFile":
      return yield* invalidRequest([unknownFiles("attachments")])
    case "Closed":
      return yield* new StateNotAllowed({ detail: "the chat is closed" })
    default:
      return yield* failedWrite(outcome, prepared)
  }
})

/** The author of an operator message is the caller unless the request names another operator. */
const authorOf = (session: AuthorizedSession, request: MessageRequest) => {
  const authorType = request.authorType ?? "operator"
  const authorId = request.authorId ?? (authorType === "operator" ? session.userId : undefined)
  return { authorType, authorId }
}

const isOwn = (session: AuthorizedSession, { authorId, authorType, occurredAt }: MessageRequest): boolean =>
  (authorType ?? "operator") === "operator" &&
  (authorId === undefined || authorId === session.userId) &&
  occurredAt === undefined
