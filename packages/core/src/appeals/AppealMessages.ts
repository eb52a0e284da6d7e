// Appends messages to chats and tickets (contract §7).
import type { MessageRequest } from "@rapport/contract/appeals/Appeal.ts"
import type { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  type AccessDenied,
  IdempotencyKeyReused,
  type InvalidRequest,
  NotFound,
  StateNotAllowed
} from "@rapport/contract/Errors.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { type Effected, Receipts } from "../receipts/Receipts.ts"
import { fresh, invalid, type WriteFailure } from "../receipts/Writes.ts"
import { authorViolation, type MessageDraft } from "./AppealDraft.ts"
import { type AppealMessageOutcome, AppealStore } from "./AppealStore.ts"
import type { AppealKind } from "./TranscriptStore.ts"

export class AppealMessages extends Context.Service<
  AppealMessages,
  {
    /** A repeated external id returns the stored message, whatever the content. */
    readonly post: (
      session: AuthorizedSession,
      kind: AppealKind,
      appealId: number,
      request: MessageRequest,
      key: string | null
    ) => Effect.Effect<
      Effected<AppealMessage>,
      AccessDenied | InvalidRequest | NotFound | StateNotAllowed | WriteFailure
    >
  }
>()("core/appeals/AppealMessages") {
  static readonly layer = Layer.effect(
    AppealMessages,
    Effect.gen(function* () {
      const store = yield* AppealStore
      const receipts = yield* Receipts
      const random = yield* SecureRandom.SecureRandom
      const isVisible = (session: AuthorizedSession, kind: AppealKind, id: number) =>
        kind === "chat"
          ? Effect.map(store.findChat(session, id), (chat) => chat !== undefined)
          : Effect.map(store.findTicket(session, id), (ticket) => ticket !== undefined)
      return AppealMessages.of({
        post: Effect.fn("AppealMessages.post")(function* (session, kind, appealId, request, key) {
          yield* Permissions.require(session, kind === "chat" ? "chats.manage" : "tickets.manage")
          const now = yield* Clock.currentTimeMillis
          if ((request.occurredAt ?? now) > now)
            return yield* invalid([{ path: "occurredAt", message: "must not lie in the future" }])
          if (!isOwn(session, request)) yield* Permissions.require(session, "appeals.import")
          const own = isOwn(session, request)
          const { authorId, authorType } = authorOf(session, request)
          const command = {
            operation: `${kind}.message`,
            pathIds: [appealId],
            content: { authorType: "operator", ...request }
          }
          // For an appeal that the caller cannot see, 404 wins over a full instance.
          const claim = yield* Effect.catch(receipts.claim({ caller: session, command, key }), (refused) =>
            Effect.flatMap(isVisible(session, kind, appealId), (visible) =>
              Effect.fail(visible ? refused : new NotFound())
            )
          )
          const outcome = yield* store.addMessage(session, {
            kind,
            appealId,
            authorType,
            authorId: authorId ?? null,
            text: request.text,
            occurredAt: request.occurredAt ?? now,
            externalMessageId: request.externalMessageId ?? null,
            recordedAt: now,
            // Messages from other systems or of the past are not delivered to the client.
            deliveryId: own ? yield* random.uuidV7() : null,
            claim
          })
          return yield* answerOf(outcome, { authorType, authorId })
        }, orUnavailable)
      })
    })
  )
}

type Author = Pick<MessageDraft, "authorType"> & { readonly authorId: number | undefined }

const answerOf = (
  outcome: AppealMessageOutcome,
  author: Author
): Effect.Effect<
  Effected<AppealMessage>,
  IdempotencyKeyReused | InvalidRequest | NotFound | StateNotAllowed
> => {
  switch (outcome._tag) {
    case "Added":
      return Effect.succeed(fresh(outcome.message))
    case "Replayed":
    case "Known":
      return Effect.succeed({ answer: outcome.message, replayed: true })
    case "KeyReused":
      return Effect.fail(new IdempotencyKeyReused({}))
    case "Unknown":
      return Effect.fail(new NotFound())
    case "ClientErased":
      return Effect.fail(new StateNotAllowed({ detail: "the client of the appeal is erased" }))
    case "UnknownAuthor":
      return Effect.fail(invalid([authorViolation("authorId", author.authorType)]))
    case "Closed":
      return Effect.fail(new StateNotAllowed({ detail: "the chat is closed" }))
  }
}

/** The author of an operator message is the caller unless the request names another operator. */
const authorOf = (session: AuthorizedSession, request: MessageRequest): Author => {
  const authorType = request.authorType ?? "operator"
  const authorId = request.authorId ?? (authorType === "operator" ? session.userId : undefined)
  return { authorType, authorId }
}

const isOwn = (session: AuthorizedSession, { authorId, authorType, occurredAt }: MessageRequest): boolean =>
  (authorType ?? "operator") === "operator" &&
  (authorId === undefined || authorId === session.userId) &&
  occurredAt === undefined
