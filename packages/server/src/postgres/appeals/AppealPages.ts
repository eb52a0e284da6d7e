// Pages of the lists of chats and tickets. Connections keep those that are asked for again and again; of those that nothing narrows
// the text is built once, and where it reads little it travels with the short reads.
import { type AuthorizedSession, rolesSeeingAll } from "@rapport/contract/Authorization.ts"
import { chats } from "@rapport/contract/appeals/ChatsApi.ts"
import { tickets } from "@rapport/contract/appeals/TicketsApi.ts"
import type { ListRequest, ListRows } from "@rapport/core/lists/ListRequest.ts"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import {
  appealReach,
  appealVisible,
  type BoundReader,
  readerOf,
  visibleAppealText
} from "../sql/Visibility.ts"
import { shortReadInTime } from "../connection/Lanes.ts"
import { isUsual, type PageRequest, pageStatement, readPage, type TableList } from "../sql/ListQuery.ts"
import { sharedText } from "../sql/Query.ts"
import { RecurringTexts } from "../sql/RecurringTexts.ts"
import { chatColumns, chatIncludes, seenTicketColumns, ticketIncludes } from "./AppealColumns.ts"

type Sql = SqlClient.SqlClient
type Kind = "chat" | "ticket"

/** Rows that a statement on a lane may count: those behind it wait as long. */
const COUNTED_SHORT_MAX = 1_000

/** What the text of a page depends on that is not narrowed by anything. */
interface WholeKind {
  /** Orders, includes and fields as JSON. */
  readonly shape: string
  readonly seesAll: boolean
}
type WholeValues = ReturnType<typeof readerOf> & Pick<ListRequest, "limit" | "offset">

/** Reads pages of one kind of appeal. */
export const makeAppealPages = (sql: Sql, kind: Kind) => {
  const whole = sharedText<WholeKind, WholeValues>(sql, ({ seesAll, shape }, bound) =>
    pageStatement(sql, appealList(sql, kind, bound, seesAll), wholeRequest(JSON.parse(shape), bound))
  )
  const recurring = new RecurringTexts()
  /** How much the list of a session that sees everything counted last. */
  const counted = new WeakMap<AuthorizedSession, number>()

  return (session: AuthorizedSession, request: ListRequest): Effect.Effect<ListRows, SqlError.SqlError> => {
    const reader = readerOf(session)
    const seesAll = session.tokenId !== null || session.roles.some((role) => rolesSeeingAll.includes(role))
    if (!isWhole(request)) {
      const page = pageStatement(sql, appealList(sql, kind, reader, seesAll), request)
      return readPage(recurring.isKept(page.compile()[0], session.instanceId) ? page : page.unprepared)
    }
    const { fields, includes, limit, offset, orders } = request
    const shape = JSON.stringify({ orders, includes, fields } satisfies Shape)
    const isPlain = isUsual(request)
    const isKept = isPlain || recurring.isKept(`${seesAll} ${shape}`, session.instanceId)
    const statement = whole({ shape, seesAll }, { ...reader, limit, offset })
    const page = readPage(isKept ? statement : statement.unprepared)
    if (!seesAll) return page
    // It reads no more rows than it counts and shows. With includes it takes twice as long, so that others would wait behind it.
    const isShort = isPlain && (counted.get(session) ?? Infinity) <= COUNTED_SHORT_MAX
    return Effect.map(isShort ? shortReadInTime(page) : page, (rows) => {
      counted.set(session, rows.counted)
      return rows
    })
  }
}

/** Whether it is a first page of all that the caller may see. */
const isWhole = ({ after, filters, search }: ListRequest): boolean =>
  after === null && filters.length === 0 && search === null

type Shape = Pick<ListRequest, "orders" | "includes" | "fields">
const wholeRequest = (
  shape: Shape,
  { limit, offset }: Pick<PageRequest, "limit" | "offset">
): PageRequest => ({
  ...shape,
  limit,
  offset,
  filters: [],
  after: null,
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
