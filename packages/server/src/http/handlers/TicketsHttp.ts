// Tickets and their statuses over HTTP: each handler is one call of a use case (docs/contract.md §7).
import { Api } from "@rapport/contract/Api.ts"
import { ticketQuery, TicketsApi } from "@rapport/contract/appeals/TicketsApi.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import { Tickets } from "@rapport/core/appeals/Tickets.ts"
import { TicketStatusList } from "@rapport/core/appeals/TicketStatusList.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { LeanRoutes } from "../lean/LeanPath.ts"
import { posting } from "./AppealsHttp.ts"
import { changed, creatingNamed, getting, leanListing, listing, updating } from "./Records.ts"
import { keyIn, shown, versionIn } from "./WriteHeaders.ts"

const root = "/kw/api/v1/Ticket"

export const ticketsLayer = HttpApiBuilder.group(
  Api,
  "tickets",
  Effect.fnUntraced(function* (handlers) {
    const tickets = yield* Tickets
    const routes = yield* LeanRoutes
    routes.add(TicketsApi.endpoints.listTickets, leanListing(ticketQuery, tickets.list))
    const messages = yield* AppealMessages
    const statuses = yield* TicketStatusList
    return handlers
      .handle("listTickets", listing(tickets.list))
      .handle("getTicket", getting(tickets.get))
      .handle(
        "createTicket",
        creatingNamed((ticket) => ({ ticket }), root, tickets.create)
      )
      .handle("updateTicket", updating(tickets.update))
      .handle("postTicketMessage", posting(messages, "ticket"))
      .handle("getTicketStatuses", () =>
        Effect.gen(function* () {
          return yield* shown(yield* statuses.get(yield* CurrentSession))
        })
      )
      .handle("setTicketStatuses", ({ headers, payload }) =>
        Effect.gen(function* () {
          const version = yield* versionIn(payload.expectedVersion, headers)
          const set = yield* statuses.set(yield* CurrentSession, version, payload.statuses, keyIn(headers))
          return yield* changed(set)
        })
      )
  })
)
