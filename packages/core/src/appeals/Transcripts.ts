// The transcript of a chat or ticket, page by page: where the citations of a pack lead (docs/contract.md §7).
import type { Transcript, TranscriptQuery } from "@rapport/contract/appeals/AppealsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  type AccessDenied,
  InvalidRequest,
  NotFound,
  type SearchUnavailable
} from "@rapport/contract/Errors.ts"
import { PageLimits } from "@rapport/contract/Limits.ts"
import { Context, Effect, Layer, Option } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { Cursors } from "../lists/Cursors.ts"
import { orUnavailable } from "../readiness/SourceUnavailable.ts"
import { type AppealKind, type PageStart, TranscriptStore } from "./TranscriptStore.ts"

export class Transcripts extends Context.Service<
  Transcripts,
  {
    /** NotFound for an appeal that is unknown, foreign or not visible, and for `around` a message of another appeal. */
    readonly read: (
      session: AuthorizedSession,
      kind: AppealKind,
      appealId: number,
      query: TranscriptQuery
    ) => Effect.Effect<Transcript, InvalidRequest | AccessDenied | NotFound | SearchUnavailable>
  }
>()("core/appeals/Transcripts") {
  static readonly layer = Layer.effect(
    Transcripts,
    Effect.gen(function* () {
      const store = yield* TranscriptStore
      const cursors = yield* Cursors

      /** A cursor is bound to its instance, appeal and order: one of another is refused (docs/contract.md §7). */
      const startOf = (purpose: string, { around, cursor }: TranscriptQuery): PageStart | undefined => {
        if (around !== undefined)
          return cursor === undefined ? { at: "around", messageId: around } : undefined
        if (cursor === undefined) return { at: "end" }
        const sequence = Option.getOrUndefined(cursors.open(purpose, cursor))?.[0]
        return typeof sequence === "number" ? { at: "after", sequence } : undefined
      }

      const read = Effect.fn("Transcripts.read")(function* (
        session: AuthorizedSession,
        kind: AppealKind,
        appealId: number,
        query: TranscriptQuery
      ) {
        const order = query.order ?? "asc"
        const limit = query.limit ?? PageLimits.default
        const purpose = `transcript/${session.instanceId}/${appealId}/${order}`
        const start = startOf(purpose, query)
        if (start === undefined) return yield* query.around === undefined ? wrongCursor : cursorBesideAround
        yield* Permissions.require(session, kind === "chat" ? "chats.read" : "tickets.read")
        const messages = yield* store.find(session, { kind, appealId, start, order, limit })
        if (messages === undefined) return yield* new NotFound()
        const data = messages.slice(0, limit)
        const last = data.at(-1)
        const hasMore = messages.length > limit
        return {
          data,
          limit,
          hasMore,
          nextCursor: hasMore && last !== undefined ? cursors.seal(purpose, [last.sequence]) : null
        }
      }, orUnavailable)

      return Transcripts.of({ read })
    })
  )
}

const wrong = (message: string) =>
  Effect.fail(new InvalidRequest({ detail: `cursor ${message}`, errors: [{ path: "cursor", message }] }))
const wrongCursor = wrong("must be the nextCursor of a page of this appeal in this order")
const cursorBesideAround = wrong("does not go with around")
