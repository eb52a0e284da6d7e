// Tickets and their statuses over HTTP: each handler is one call of a use case (docs/contract.md §7).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import { Tickets } from "@rapport/core/appeals/Tickets.ts"
import { TicketStatusList } from "@rapport/core/appeals/TicketStatusList.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { asked } from "./Listed.ts"
import { keyIn, shown, versionIn, written } from "./Written.ts"

const root = "/kw/api/v1/Ticket"

export const ticketsLayer = HttpApiBuilder.group(
  Api,
  "tickets",
  Effect.fnUntraced(function* (handlers) {
    const tickets = yield* Tickets
    const messages = yield* AppealMessages
    const statuses = yield* TicketStatusList
    return handlers
      .handle("listTickets", ({ query }) =>
        Effect.gen(function* () {
          return HttpServerResponse.jsonUnsafe(
            yield* tickets.list(yield* CurrentSession, yield* asked(query))
          )
        })
      )
      .handle("getTicket", ({ params }) =>
        Effect.gen(function* () {
          return yield* shown(yield* tickets.get(yield* CurrentSession, params.id))
        })
      )
      .handle("createTicket", ({ headers, payload }) =>
        Effect.gen(function* () {
          const made = yield* tickets.create(yield* CurrentSession, payload, keyIn(headers))
          const { id, version } = made.answer
          const ticket = yield* written(made, { status: 201, version, location: `${root}/${id}` })
          return { replayed: made.replayed, ticket }
        })
      )
      .handle("updateTicket", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const { expectedVersion, ...change } = payload
          const version = yield* versionIn(expectedVersion, headers)
          const updated = yield* tickets.update(
            yield* CurrentSession,
            params.id,
            version,
            change,
            keyIn(headers)
          )
          return yield* written(updated, { version: updated.answer.version })
        })
      )
      .handle("postTicketMessage", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const posted = yield* messages.post(
            yield* CurrentSession,
            "ticket",
            params.id,
            payload,
            keyIn(headers)
          )
          return { replayed: posted.replayed, message: yield* written(posted, { status: 201 }) }
        })
      )
      .handle("getTicketStatuses", () =>
        Effect.gen(function* () {
          return yield* shown(yield* statuses.get(yield* CurrentSession))
        })
      )
      .handle("setTicketStatuses", ({ headers, payload }) =>
        Effect.gen(function* () {
          const version = yield* versionIn(payload.expectedVersion, headers)
          const set = yield* statuses.set(yield* CurrentSession, version, payload.statuses, keyIn(headers))
          return yield* written(set, { version: set.answer.version })
        })
      )
  })
)
