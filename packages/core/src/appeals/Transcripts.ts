// The transcript of a chat or ticket, to which citations of packs refer (contract §7).
import type { TranscriptQuery } from "@rapport/contract/appeals/AppealsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { Cursors } from "../lists/Cursors.ts"
import { sequencePage } from "../lists/SequencePages.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { type AppealKind, TranscriptStore } from "./TranscriptStore.ts"

export class Transcripts extends Context.Service<Transcripts>()("core/appeals/Transcripts", {
  make: Effect.gen(function* () {
    const store = yield* TranscriptStore
    const cursors = yield* Cursors

    /** NotFound for an appeal that is unknown or not visible, and for `around` a message of another appeal. */
    const read = Effect.fn("Transcripts.read")(function* (
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
            store.find(session, { kind, appealId, ...stretch })
          )
      })
      const message = page.data.find(({ id }) => id === around?.id)
      if (around === undefined || message === undefined) return page
      const changed = message.version !== around.version
      return { ...page, cited: { id: message.id, changed, deleted: message.deletedAt !== null } }
    }, orUnavailable)

    return { read }
  })
}) {
  static readonly layer = Layer.effect(Transcripts, Transcripts.make)
}
