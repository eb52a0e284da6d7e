// Pages of the lists of chats and tickets. The text of those that are asked for most is built once, and where it reads little it
// travels with the short reads.
import { type AuthorizedSession, rolesSeeingAll } from "@rapport/contract/Authorization.ts"
import { chats } from "@rapport/contract/appeals/ChatsApi.ts"
import { tickets } from "@rapport/contract/appeals/TicketsApi.ts"
import type { ListOrder, ListRequest, ListRows } from "@rapport/core/lists/ListRequest.ts"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import {
  appealReach,
  appealVisible,
  type BoundReader,
  readerOf,
  rightsText,
  sameRights,
  visibleAppealText
} from "../sql/Visibility.ts"
import { shortReadInTime } from "../connection/Lanes.ts"
import {
  isUsual,
  listRows,
  type PageRequest,
  pageStatement,
  readPage,
  type TableList
} from "../sql/ListQuery.ts"
import { sharedText } from "../sql/Query.ts"
import { chatColumns, chatIncludes, seenTicketColumns, ticketIncludes } from "./AppealColumns.ts"

type Sql = SqlClient.SqlClient
type Kind = "chat" | "ticket"

/** Rows that a statement on a lane may count: those behind it wait as long. */
const COUNTED_SHORT_MAX = 1_000

/** What the text of a usual page depends on. */
interface UsualKind {
  /** `ListOrder`s as JSON. */
  readonly orders: string
  readonly seesAll: boolean
  readonly proves: boolean
}
type UsualValues = ReturnType<typeof readerOf> & Pick<ListRequest, "limit" | "offset">

/** Reads pages of one kind of appeal. */
export const makeAppealPages = (sql: Sql, kind: Kind) => {
  const usual = sharedText<UsualKind, UsualValues>(sql, ({ orders, proves, seesAll }, bound) =>
    pageStatement(
      sql,
      appealList(sql, kind, bound, seesAll),
      usualRequest(JSON.parse(orders), bound),
      proves ? rightsText : null
    )
  )
  /** How much the list of a session that sees everything counted last. */
  const counted = new WeakMap<AuthorizedSession, number>()

  return (session: AuthorizedSession, request: ListRequest): Effect.Effect<ListRows, SqlError.SqlError> => {
    const reader = readerOf(session)
    const seesAll = session.tokenId !== null || session.roles.some((role) => rolesSeeingAll.includes(role))
    const proof = sameRights(session)
    if (!isUsual(request)) return listRows(sql, { ...appealList(sql, kind, reader, seesAll), proof }, request)
    const { limit, offset } = request
    const orders = JSON.stringify(request.orders)
    const page = readPage(proof, (rights) =>
      usual({ orders, seesAll, proves: rights !== null }, { ...reader, limit, offset })
    )
    if (!seesAll) return page
    // It reads no more rows than it counts and shows.
    const isShort = (counted.get(session) ?? Infinity) <= COUNTED_SHORT_MAX
    return Effect.map(isShort ? shortReadInTime(page) : page, (rows) => {
      counted.set(session, rows.counted)
      return rows
    })
  }
}

const usualRequest = (
  orders: ReadonlyArray<ListOrder>,
  { limit, offset }: Pick<PageRequest, "limit" | "offset">
): PageRequest => ({
  filters: [],
  orders,
  limit,
  offset,
  after: null,
  fields: null,
  includes: [],
  search: null
})

const appealList = (sql: Sql, kind: Kind, reader: BoundReader, seesAll: boolean): TableList => {
  const { common, condition } = appealReach(sql, reader)
  const ofKind = sql`a.instance_id = ${reader.instanceId} and a.kind = ${sql.literal(`'${kind}'`)}`
  const where = sql`${ofKind} and ${appealVisible(sql)}`
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
const chatList = { collection: chats, columns: chatColumns, includes: chatIncludes }
const ticketList = {
  collection: tickets,
  columns: seenTicketColumns(visibleAppealText),
  includes: ticketIncludes(visibleAppealText),
  searched: ["a.title"]
}
