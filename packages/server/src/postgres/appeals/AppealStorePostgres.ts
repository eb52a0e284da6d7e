// Chats and tickets in PostgreSQL: found and listed by Visibility, changed under a row lock, the index notified after the
// commit (contract §2, §7).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { AppealStore } from "@rapport/core/appeals/AppealStore.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { query, updateLocked } from "../sql/Query.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { appealVisible, callerOf } from "../sql/Visibility.ts"
import { updateChat, updateTicket } from "./AppealChanges.ts"
import { continueHistory } from "./AppealContinuation.ts"
import { chatJson, chatRows, seenTicketJson, ticketRows } from "./AppealColumns.ts"
import { makeAppealPages } from "./AppealPages.ts"
import { appealMessageChanges } from "./AppealMessageChanges.ts"
import { appealMessageWrites } from "./AppealMessageWrites.ts"
import { lockClientOf, checkReferences } from "./AppealReferences.ts"
import { appealWrites } from "./AppealWrites.ts"
import { lockStatuses, replaceStatuses, statusesOf, usedStatuses } from "./TicketStatuses.ts"

type Fragment = Statement.Fragment

type Sql = SqlClient.SqlClient
type Store = AppealStore["Service"]

type Needs = SqlClient.SqlClient | OutboxSignal | DeliverySignal

export const layer: Layer.Layer<AppealStore, never, Needs> = Layer.effect(
  AppealStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { notify } = yield* OutboxSignal
    const leaving = yield* DeliverySignal
    const seen = { chat: sql.literal(chatJson), ticket: sql.literal(seenTicketJson) }
    const none = sql.literal("")
    const locked = sql.literal("for no key update of a")
    /** The appeal as the caller may see it; `lock` is `for …`, or nothing. */
    const visible = (session: AuthorizedSession, kind: "chat" | "ticket", id: number, lock: Fragment) =>
      sql`with ${callerOf(sql, session)} select ${seen[kind]} as record from appeals a, caller u
        where a.instance_id = u.instance_id and a.id = ${id} and a.kind = ${kind} and ${appealVisible(sql)} ${lock}`
    const chatOf = (session: AuthorizedSession, id: number, lock: Fragment = none) =>
      chatRows.find(visible(session, "chat", id, lock))
    const ticketOf = (session: AuthorizedSession, id: number, lock: Fragment = none) =>
      ticketRows.find(visible(session, "ticket", id, lock))
    return AppealStore.of({
      ...statusOperations(sql),
      ...appealWrites(sql, notify),
      ...appealMessageChanges(sql, Effect.andThen(notify, leaving.notify)),
      ...appealMessageWrites(sql, (isLeaving) =>
        isLeaving ? Effect.andThen(notify, leaving.notify) : notify
      ),
      checkReferences: query("AppealStore.checkReferences", (session, named) =>
        checkReferences(sql, session, named)
      ),
      continueHistory: query("AppealStore.continueHistory", (session, id, draft) =>
        Effect.andThen(continueHistory(sql, session, id, draft), sql.afterCommit(notify))
      ),
      findChat: query("AppealStore.findChat", (session, id) => chatOf(session, id)),
      findTicket: query("AppealStore.findTicket", (session, id) => ticketOf(session, id)),
      listChats: query("AppealStore.listChats", makeAppealPages(sql, "chat")),
      listTickets: query("AppealStore.listTickets", makeAppealPages(sql, "ticket")),
      updateChat: (session, id, decide) =>
        updateLocked("AppealStore.updateChat", unavailableOrDie, {
          find: chatOf(session, id, locked),
          decide,
          write: (next, found) =>
            chatRows.get(Effect.tap(updateChat(sql, session, [found, next]), () => sql.afterCommit(notify)))
        }),
      updateTicket: (session, id, decide) =>
        updateLocked("AppealStore.updateTicket", unavailableOrDie, {
          find: ticketOf(session, id, locked),
          decide,
          write: (next, found) =>
            Effect.map(
              ticketRows.get(
                Effect.tap(updateTicket(sql, session, [found, next]), () => sql.afterCommit(notify))
              ),
              (ticket) => ({ ...ticket, chatIds: next.chatIds })
            )
        }),
      lockClient: query("AppealStore.lockClient", (session, kind, id) => lockClientOf(sql, session, kind, id))
    })
  })
)

/** Statuses of tickets. */
const statusOperations = (sql: Sql) =>
  ({
    ticketStatuses: query("AppealStore.ticketStatuses", (session) => statusesOf(sql, session)),

    lockTicketStatuses: query("AppealStore.lockTicketStatuses", (session, purpose) =>
      lockStatuses(sql, session, purpose)
    ),

    usedStatuses: query("AppealStore.usedStatuses", (session, names) => usedStatuses(sql, session, names)),

    setTicketStatuses: query("AppealStore.setTicketStatuses", (session, statuses) =>
      replaceStatuses(sql, session, statuses)
    )
  }) satisfies Partial<Store>
