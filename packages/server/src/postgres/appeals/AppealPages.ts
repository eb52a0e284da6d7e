// Pages of the lists of chats and tickets.
import { type AuthorizedSession, rolesSeeingAll } from "@rapport/contract/Authorization.ts"
import { chats } from "@rapport/contract/appeals/ChatsApi.ts"
import { tickets } from "@rapport/contract/appeals/TicketsApi.ts"
import type { ListRequest, ListRows } from "@rapport/core/lists/ListRequest.ts"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { type Sql, sql } from "../sql/Fragment.ts"
import { appealReach, appealVisible, type AppealReader, readerOf } from "../sql/Visibility.ts"
import { phoneSearch } from "../clients/ClientContacts.ts"
import { searchedTexts } from "../clients/ClientStorePostgres.ts"
import { listRows, type TableList } from "../sql/ListQuery.ts"
import { chatColumns, chatIncludes, seenTicketColumns, ticketIncludes } from "./AppealColumns.ts"

type Kind = "chat" | "ticket"

/** Reads pages of one kind of appeal. */
export const makeAppealPages =
  (sql: Sql, kind: Kind) =>
  (session: AuthorizedSession, request: ListRequest): Effect.Effect<ListRows, SqlError.SqlError> => {
    const seesAll = !session.seesAsUser || session.roles.some((role) => rolesSeeingAll.includes(role))
    const list = appealList(kind, readerOf(session), seesAll)
    if (kind === "ticket") return listRows(sql, list, request)
    return Effect.flatMap(phoneSearch(sql, session.instanceId, request.search, "a.client_id"), (alsoFound) =>
      listRows(sql, { ...list, alsoFound }, request)
    )
  }

const appealList = (kind: Kind, reader: AppealReader, seesAll: boolean): TableList => {
  const { common, condition } = appealReach(reader)
  const ofKind = sql`a.instance_id = ${reader.instanceId} and a.kind = ${sql.literal(`'${kind}'`)}`
  const where = sql`${ofKind} and ${appealVisible}`
  return {
    ...(kind === "chat" ? chatList : ticketList),
    common,
    from: sql.literal("appeals a, caller u"),
    listed: { name: "a", joined: ", caller u" },
    where: condition === null ? where : sql.and([where, condition]),
    messageCount: "a.message_count",
    ...(seesAll ? { whole: sql`select 1 from appeals a where ${ofKind}` } : {})
  }
}
/** As the index appeals_searched has them. A ticket has a title, a chat the others. */
const searched = "array[a.title, a.chat_id, a.comment]"
const chatList = {
  collection: chats,
  columns: chatColumns,
  includes: chatIncludes,
  searched,
  searchedAmong: {
    column: "a.client_id",
    of: `select c.id from clients c
      where c.instance_id = (select instance_id from caller) and search_text(${searchedTexts})`
  }
}
const ticketList = {
  collection: tickets,
  columns: seenTicketColumns,
  includes: ticketIncludes,
  searched
}
