// Chats and tickets in PostgreSQL: found and listed by Visibility, changed under a row lock, the index notified after the
// commit (docs/contract.md §2, §7).
import { chats } from "@rapport/contract/appeals/ChatsApi.ts"
import { tickets } from "@rapport/contract/appeals/TicketsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { AppealDraft } from "@rapport/core/appeals/AppealDraft.ts"
import { AppealStore } from "@rapport/core/appeals/AppealStore.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { sameRights } from "../access/AuthenticatedSessions.ts"
import { listRows, type TableList } from "../sql/ListQuery.ts"
import { query, updateLocked } from "../sql/Query.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { appealReach, appealVisible, callerOf, visibleAppealText } from "../sql/Visibility.ts"
import { updateChat, updateTicket } from "./AppealChanges.ts"
import {
  chatColumns,
  chatIncludes,
  chatJson,
  chatRows,
  messageRows,
  ticketIncludes,
  ticketRows,
  seenTicketColumns,
  seenTicketJson
} from "./AppealColumns.ts"
import { lookAt, openAppeal } from "./AppealReferences.ts"
import { insertAppeal, insertMessage } from "./AppealWrites.ts"
import { makeChatsAtOnce } from "./ChatsAtOnce.ts"
import { lockStatuses, replaceStatuses, statusesOf, usedStatuses } from "./TicketStatuses.ts"

type Fragment = Statement.Fragment

type Sql = SqlClient.SqlClient
type Store = AppealStore["Service"]

export const layer: Layer.Layer<AppealStore, never, SqlClient.SqlClient | OutboxSignal> = Layer.effect(
  AppealStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { notify } = yield* OutboxSignal
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
    const create = (session: AuthorizedSession, draft: AppealDraft) =>
      Effect.tap(insertAppeal(sql, session, draft), () => sql.afterCommit(notify))
    return AppealStore.of({
      ...statusOperations(sql),
      ...(yield* makeChatsAtOnce(sql, notify)),
      look: query("AppealStore.look", (session, named) => lookAt(sql, session, named)),
      createChat: query("AppealStore.createChat", (session, draft) => chatRows.get(create(session, draft))),
      createTicket: query("AppealStore.createTicket", (session, draft) =>
        ticketRows.get(create(session, draft))
      ),
      findChat: query("AppealStore.findChat", (session, id) => chatOf(session, id)),
      findTicket: query("AppealStore.findTicket", (session, id) => ticketOf(session, id)),
      listChats: query("AppealStore.listChats", (session, request) =>
        listRows(sql, chatList(sql, session), request)
      ),
      listTickets: query("AppealStore.listTickets", (session, request) =>
        listRows(sql, ticketList(sql, session), request)
      ),
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
      open: query("AppealStore.open", (session, kind, id, message) =>
        openAppeal(sql, session, kind, id, message)
      ),
      append: query("AppealStore.append", (session, kind, appeal, message, appended) =>
        messageRows.get(
          Effect.tap(insertMessage(sql, session, kind, appeal, message, appended), () =>
            sql.afterCommit(notify)
          )
        )
      )
    })
  })
)

/** Statuses of tickets. */
const statusOperations = (sql: Sql) =>
  ({
    ticketStatuses: query("AppealStore.ticketStatuses", (session) => statusesOf(sql, session)),

    lockTicketStatuses: query("AppealStore.lockTicketStatuses", (session, held) =>
      lockStatuses(sql, session, held)
    ),

    usedStatuses: query("AppealStore.usedStatuses", (session, names) => usedStatuses(sql, session, names)),

    setTicketStatuses: query("AppealStore.setTicketStatuses", (session, statuses) =>
      replaceStatuses(sql, session, statuses)
    )
  }) satisfies Partial<Store>

const listed = (sql: SqlClient.SqlClient, session: AuthorizedSession, kind: "chat" | "ticket") => {
  const { common, condition } = appealReach(sql, session)
  const where = sql`a.instance_id = ${session.instanceId} and a.kind = ${sql.literal(`'${kind}'`)}
        and ${appealVisible(sql)}`
  return {
    common,
    from: sql.literal("appeals a, caller u"),
    listed: { name: "a", joined: ", caller u" },
    where: condition === null ? where : sql.and([where, condition]),
    messageCount: "a.message_count",
    proof: sameRights(session)
  }
}
const chatList = (sql: SqlClient.SqlClient, session: AuthorizedSession): TableList => ({
  ...listed(sql, session, "chat"),
  collection: chats,
  columns: chatColumns,
  includes: chatIncludes
})
const ticketList = (sql: SqlClient.SqlClient, session: AuthorizedSession): TableList => ({
  ...listed(sql, session, "ticket"),
  collection: tickets,
  columns: seenTicketColumns(visibleAppealText),
  includes: ticketIncludes(visibleAppealText),
  searched: ["a.title"]
})
