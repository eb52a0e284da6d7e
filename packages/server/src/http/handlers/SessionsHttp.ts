// Sessions over HTTP: each handler is one call of the use case (contract §5).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { Sessions } from "@rapport/core/sessions/Sessions.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerChange } from "./Records.ts"
import { keyIn, versionIn, setWriteHeaders } from "./WriteHeaders.ts"

const root = "/kw/context/sessions"

export const sessionsLayer = HttpApiBuilder.group(
  Api,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions
    return handlers.handleAll({
      createSession: ({ headers, payload }) =>
        Effect.gen(function* () {
          const made = yield* sessions.create(yield* CurrentSession, payload, keyIn(headers))
          const session = yield* setWriteHeaders(made, { status: 201, location: `${root}/${made.answer.id}` })
          return { replayed: made.replayed, session }
        }),
      getSession: ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => sessions.get(session, params.session_id)),
      addSessionMessage: ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const added = yield* sessions.add(yield* CurrentSession, params.session_id, payload, keyIn(headers))
          return { replayed: added.replayed, message: yield* setWriteHeaders(added, { status: 201 }) }
        }),
      listSessionMessages: ({ params, query }) =>
        Effect.flatMap(CurrentSession, (session) => sessions.messages(session, params.session_id, query)),
      closeSession: ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const reason = payload?.reason ?? null
          const closed = yield* sessions.close(
            yield* CurrentSession,
            params.session_id,
            reason,
            keyIn(headers)
          )
          return { replayed: closed.replayed, session: yield* setWriteHeaders(closed) }
        }),
      setWorkingContext: ({ headers, params, payload }) =>
        Effect.andThen(
          versionIn(payload.expectedVersion, headers),
          answerChange((session) =>
            sessions.setWorkingContext(session, params.session_id, payload, keyIn(headers))
          )
        )
    })
  })
)
