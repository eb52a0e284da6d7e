// Tickets and their statuses over HTTP: each handler is one call of a use case (contract §7).
import { Api } from "@rapport/contract/Api.ts"
import type { TicketChange } from "@rapport/contract/appeals/TicketsApi.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import { Tickets } from "@rapport/core/appeals/Tickets.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import {
  editMessageHandler,
  postMessageHandler,
  deleteMessageHandler,
  updateEachHandler
} from "./AppealsHttp.ts"
import {
  answerVersionedChange,
  namedCreateHandler,
  exportHandler,
  getHandler,
  listHandler,
  updateHandler
} from "./Records.ts"
import { keyIn, setEtag } from "./WriteHeaders.ts"

const root = "/kw/api/v1/Ticket"

export const ticketsLayer = HttpApiBuilder.group(
  Api,
  "tickets",
  Effect.fnUntraced(function* (handlers) {
    const tickets = yield* Tickets
    const admission = yield* Admission
    const messages = yield* AppealMessages
    return handlers.handleAll({
      listTickets: listHandler(tickets.list),
      exportTickets: exportHandler(tickets.export),
      getTicket: getHandler(tickets.get),
      createTicket: namedCreateHandler((ticket) => ({ ticket }), root, tickets.create),
      updateTicket: updateHandler(tickets.update),
      updateTickets: updateEachHandler(
        admission,
        "tickets.manage",
        (session, { expectedVersion, id, ...change }: TicketChange, key) =>
          tickets.update(session, id, expectedVersion, change, key)
      ),
      createTicketMessage: postMessageHandler(messages, "ticket"),
      updateTicketMessage: editMessageHandler(messages, "ticket"),
      deleteTicketMessage: deleteMessageHandler(messages, "ticket"),
      getTicketStatuses: () => Effect.flatMap(Effect.flatMap(CurrentSession, tickets.statuses.get), setEtag),
      setTicketStatuses: ({ headers, payload }) =>
        answerVersionedChange(payload.expectedVersion, headers, (session, version) =>
          tickets.statuses.set(session, version, payload.statuses, keyIn(headers))
        )
    })
  })
)
