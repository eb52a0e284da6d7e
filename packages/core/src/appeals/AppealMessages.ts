// Writing into a chat or ticket: one message behind the last, participation and answering kept as it happens (docs/contract.md §7).
import type { MessageRequest } from "@rapport/contract/appeals/Appeal.ts"
import { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  type AccessDenied,
  type InvalidRequest,
  NotFound,
  StateNotAllowed
} from "@rapport/contract/Errors.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Permissions } from "../access/Permissions.ts"
import { DeliveryQueue } from "../delivery/DeliveryQueue.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { type Effected, Receipts } from "../receipts/Receipts.ts"
import { fresh, invalid, refuse, type WriteFailure } from "../receipts/Writes.ts"
import { answeringWith, participating } from "./Answering.ts"
import { authorViolations, type MessageDraft } from "./AppealDraft.ts"
import { requireClient } from "./AppealRights.ts"
import { AppealStore, type OpenAppeal } from "./AppealStore.ts"
import type { AppealKind } from "./TranscriptStore.ts"

export class AppealMessages extends Context.Service<
  AppealMessages,
  {
    /** An external id that the appeal has already answers with its first message, whatever this one says. */
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
      const leave = yield* leaving

      const append = Effect.fnUntraced(function* (
        session: AuthorizedSession,
        kind: AppealKind,
        appeal: OpenAppeal,
        request: Written
      ) {
        if (appeal.known !== undefined) return { answer: appeal.known, replayed: true }
        yield* refuse(authorViolations("authorId", request, appeal))
        if (appeal.closed) return yield* new StateNotAllowed({ detail: "the chat is closed" })
        const message: MessageDraft = {
          authorType: request.authorType,
          authorId: request.authorType === "client" ? appeal.clientId : (request.authorId ?? null),
          text: request.text,
          occurredAt: request.occurredAt,
          externalMessageId: request.externalMessageId ?? null
        }
        const operator = message.authorType === "operator" ? message.authorId : null
        const appended = {
          ...answeringWith(appeal, message),
          operatorIds: participating(appeal.operatorIds, [operator])
        }
        const appendedMessage = yield* store.append(session, kind, appeal, message, appended)
        // What was said elsewhere, or long ago, is not said to the client again.
        return fresh(request.isOwn ? yield* leave(session, appeal, appendedMessage) : appendedMessage)
      })

      return AppealMessages.of({
        post: Effect.fn("AppealMessages.post")(function* (session, kind, appealId, request, key) {
          yield* Permissions.require(session, kind === "chat" ? "chats.manage" : "tickets.manage")
          const now = yield* Clock.currentTimeMillis
          if ((request.occurredAt ?? now) > now)
            return yield* invalid([{ path: "occurredAt", message: "must not lie in the future" }])
          if (!isOwn(session, request)) yield* Permissions.require(session, "appeals.import")
          const written = writtenBy(session, request, now)
          const names = {
            occurredAt: written.occurredAt,
            externalMessageId: request.externalMessageId ?? null,
            authorId: written.authorType === "operator" ? (written.authorId ?? null) : null,
            botAuthorId: written.authorType === "bot" ? (written.authorId ?? null) : null,
            clientAuthorId: written.authorType === "client" ? (written.authorId ?? null) : null
          }
          // A replay too is for those alone who see the appeal still.
          if (key !== null) {
            const found = kind === "chat" ? store.findChat : store.findTicket
            if ((yield* found(session, appealId)) === undefined) return yield* new NotFound()
          }
          const command = {
            operation: `${kind}.message`,
            pathIds: [appealId],
            content: { authorType: "operator", ...request }
          }
          return yield* receipts.once({ caller: session, command, key, answer: AppealMessage }, () =>
            Effect.gen(function* () {
              yield* requireClient(yield* store.lockClient(session, kind, appealId))
              const appeal = yield* store.open(session, kind, appealId, names)
              return yield* append(session, kind, appeal ?? (yield* new NotFound()), written)
            })
          )
        }, orUnavailable)
      })
    })
  )
}

/** A message that an operator writes to the client leaves through the chat's bot, in the transaction that writes it. */
const leaving = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const random = yield* SecureRandom.SecureRandom
  return Effect.fnUntraced(function* (
    { instanceId }: AuthorizedSession,
    { clientId, route }: OpenAppeal,
    message: AppealMessage
  ) {
    if (route === null) return message
    const { appealId, id: messageId, text } = message
    const id = yield* random.uuidV7()
    yield* queue.enqueue({ instanceId, id, kind: "operator", ...route, clientId, appealId, messageId, text })
    return { ...message, delivery: "queued" as const }
  })
})

interface Written extends MessageRequest {
  readonly authorType: MessageDraft["authorType"]
  readonly occurredAt: number
  /** Written by the caller, now; else it is imported. */
  readonly isOwn: boolean
}

/** A message of type operator is by the caller unless the request names another operator. */
const writtenBy = (session: AuthorizedSession, request: MessageRequest, now: number): Written => {
  const authorType = request.authorType ?? "operator"
  return {
    ...request,
    authorType,
    occurredAt: request.occurredAt ?? now,
    isOwn: isOwn(session, request),
    ...(authorType === "operator" && request.authorId === undefined ? { authorId: session.userId } : {})
  }
}

const isOwn = (session: AuthorizedSession, { authorId, authorType, occurredAt }: MessageRequest): boolean =>
  (authorType ?? "operator") === "operator" &&
  (authorId === undefined || authorId === session.userId) &&
  occurredAt === undefined
