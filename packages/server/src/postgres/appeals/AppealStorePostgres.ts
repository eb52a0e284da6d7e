// Chats and tickets in PostgreSQL: found and listed by Visibility, changed under a row lock, the index notified after the
// commit (docs/contract.md §2, §7).
import { chats } from "@rapport/contract/appeals/ChatsApi.ts"
import { tickets } from "@rapport/contract/appeals/TicketsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { chatGroup } from "@rapport/core/appeals/AppealDraft.ts"
import { AppealStore } from "@rapport/core/appeals/AppealStore.ts"
import { changedMembers } from "@rapport/core/receipts/Writes.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Clock, Effect, Layer, Result } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import {
  chatColumns,
  chatIncludes,
  chatJson,
  chatsIn,
  messagesIn,
  ticketIncludes,
  seenTicketColumns,
  seenTicketJson,
  ticketJson,
  ticketsIn
} from "./AppealColumns.ts"
import { lookAt, openAppeal } from "./AppealReferences.ts"
import { insertAppeal, insertMessage } from "./AppealWrites.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { idArray } from "../sql/IdArray.ts"
import { listRows } from "../sql/ListQuery.ts"
import { audit } from "../sql/Records.ts"
import { inProgressOrUnavailable } from "../receipts/ReceiptsPostgres.ts"
import { lockStatuses, replaceStatuses, statusesOf, usedStatuses } from "./TicketStatuses.ts"
import { appealReach, appealVisible, callerOf, visibleAppealText } from "../sql/Visibility.ts"

const only = <A>(records: ReadonlyArray<A>): Effect.Effect<A> => {
  const [record] = records
  return record === undefined ? Effect.die("a write that returned nothing") : Effect.succeed(record)
}

export const layer: Layer.Layer<AppealStore, never, SqlClient.SqlClient | OutboxSignal> = Layer.effect(
  AppealStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { notify } = yield* OutboxSignal
    const json = { chat: sql.literal(chatJson), ticket: sql.literal(ticketJson) }
    const seen = { chat: json.chat, ticket: sql.literal(seenTicketJson) }
    const none = sql.literal("")

    /** The appeal as the caller may see it; `lock` is `for …`, or nothing. */
    const visible = (
      session: AuthorizedSession,
      kind: "chat" | "ticket",
      id: number,
      lock: Statement.Fragment = none
    ) =>
      sql`with ${callerOf(sql, session)} select ${seen[kind]} as record from appeals a, caller u
        where a.instance_id = u.instance_id and a.id = ${id} and a.kind = ${kind} and ${appealVisible(sql)} ${lock}`
    const chatOf = (...[session, id, lock]: [AuthorizedSession, number, Statement.Fragment?]) =>
      Effect.flatMap(visible(session, "chat", id, lock), (rows) =>
        Effect.map(chatsIn(rows), ([chat]) => chat)
      )
    const ticketOf = (...[session, id, lock]: [AuthorizedSession, number, Statement.Fragment?]) =>
      Effect.flatMap(visible(session, "ticket", id, lock), (rows) =>
        Effect.map(ticketsIn(rows), ([ticket]) => ticket)
      )
    const listed = (session: AuthorizedSession, kind: "chat" | "ticket") => {
      const { common, condition } = appealReach(sql, session)
      const where = sql`a.instance_id = ${session.instanceId} and a.kind = ${sql.literal(`'${kind}'`)}
        and ${appealVisible(sql)}`
      return {
        common,
        from: sql.literal("appeals a, caller u"),
        listed: { name: "a", joined: ", caller u" },
        where: condition === null ? where : sql.and([where, condition]),
        messageCount: "a.message_count"
      }
    }

    /** Writes `columns` over the appeal as its next version, with its audit entry. */
    const write = Effect.fnUntraced(function* <A extends { readonly id: number }>(
      session: AuthorizedSession,
      kind: "chat" | "ticket",
      [before, after]: readonly [A, A],
      columns: Statement.Fragment
    ): Effect.fn.Return<ReadonlyArray<unknown>, SqlError.SqlError> {
      const now = isoOf(yield* Clock.currentTimeMillis)
      const rows = yield* sql`update appeals a set ${columns}, version = a.version + 1,
          updated_at = ${now}::timestamptz where a.instance_id = ${session.instanceId} and a.id = ${after.id}
        returning ${json[kind]} as record`
      const details = { changed: changedMembers(before, after) }
      yield* audit(sql, session, { action: `${kind}.update`, id: after.id, details })
      yield* sql.afterCommit(notify)
      return rows
    })
    const timeOf = (millis: number | null) => sql`${millis === null ? null : isoOf(millis)}::timestamptz`

    return AppealStore.of({
      look: Effect.fn("AppealStore.look")(
        (session, named) => lookAt(sql, session, named),
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      createChat: Effect.fn("AppealStore.createChat")(
        function* (session, draft) {
          const rows = yield* insertAppeal(sql, session, draft)
          yield* sql.afterCommit(notify)
          return yield* Effect.flatMap(chatsIn(rows), only)
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      createChatAtOnce: Effect.fn("AppealStore.createChatAtOnce")(
        function* (session, draft, named, claim) {
          const rows = yield* insertAppeal(sql, session, draft, { named, claim })
          if (rows.length === 0) return undefined
          yield* notify
          return yield* Effect.flatMap(chatsIn(rows), only)
        },
        (effect, _session, _draft, _named, claim) =>
          Effect.catchTag(effect, "SqlError", claim === null ? unavailableOrDie : inProgressOrUnavailable)
      ),

      createTicket: Effect.fn("AppealStore.createTicket")(
        function* (session, draft) {
          const rows = yield* insertAppeal(sql, session, draft)
          yield* sql.afterCommit(notify)
          return yield* Effect.flatMap(ticketsIn(rows), only)
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      findChat: Effect.fn("AppealStore.findChat")(
        (session, id) => chatOf(session, id),
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      findTicket: Effect.fn("AppealStore.findTicket")(
        (session, id) => ticketOf(session, id),
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      listChats: (session, request) =>
        listRows(
          sql,
          {
            ...listed(session, "chat"),
            collection: chats,
            columns: chatColumns,
            includes: chatIncludes,
            searched: []
          },
          request
        ).pipe(Effect.catchTag("SqlError", unavailableOrDie)),

      listTickets: (session, request) =>
        listRows(
          sql,
          {
            ...listed(session, "ticket"),
            collection: tickets,
            columns: seenTicketColumns(visibleAppealText),
            includes: ticketIncludes(visibleAppealText),
            searched: ["a.title"]
          },
          request
        ).pipe(Effect.catchTag("SqlError", unavailableOrDie)),

      updateChat: (session, id, decide) =>
        Effect.gen(function* () {
          const found = yield* chatOf(session, id, sql.literal("for update of a"))
          if (found === undefined) return Result.succeed(undefined)
          const decided = yield* Effect.result(decide(found))
          if (Result.isFailure(decided)) return Result.fail(decided.failure)
          const next = decided.success
          if (next === null) return Result.succeed(found)
          const rows = yield* write(
            session,
            "chat",
            [found, next],
            sql`status = ${next.status}, status_group = ${chatGroup[next.status]}, subject_id = ${next.subjectId},
              operator_id = ${next.operatorId}, operator_ids = ${idArray(sql, next.operatorIds)},
              priority = ${next.priority}, comment = ${next.comment}, tags = ${next.tags}::text[],
              waiting_since = ${timeOf(next.waitingSince)}, closed_at = ${timeOf(next.closedAt)},
              closed_by = ${next.closedBy}`
          )
          return Result.succeed(yield* Effect.flatMap(chatsIn(rows), only))
        }).pipe(
          Effect.catchTag("SqlError", unavailableOrDie),
          Effect.flatMap(Effect.fromResult),
          Effect.withSpan("AppealStore.updateChat")
        ),

      updateTicket: (session, id, decide) =>
        Effect.gen(function* () {
          const found = yield* ticketOf(session, id, sql.literal("for update of a"))
          if (found === undefined) return Result.succeed(undefined)
          const decided = yield* Effect.result(decide(found))
          if (Result.isFailure(decided)) return Result.fail(decided.failure)
          const next = decided.success
          if (next === null) return Result.succeed(found)
          const rows = yield* write(
            session,
            "ticket",
            [found, next],
            sql`status = ${next.status}, status_group = ${next.statusGroup}, subject_id = ${next.subjectId},
              operator_id = ${next.operatorId},
              operator_ids = case when ${next.operatorId}::int8 is null or ${next.operatorId}::int8 = any(a.operator_ids)
                then a.operator_ids else a.operator_ids || ${next.operatorId}::int8 end,
              priority = ${next.priority}, title = ${next.title}, description = ${next.description},
              chat_ids = ${withUnseen(sql, next.chatIds, found.chatIds)}, custom_fields = ${JSON.stringify(next.customFields)}::text::json,
              tags = ${next.tags}::text[], due_at = ${timeOf(next.dueAt)}, closed_at = ${timeOf(next.closedAt)}`
          )
          const ticket = yield* Effect.flatMap(ticketsIn(rows), only)
          return Result.succeed({ ...ticket, chatIds: next.chatIds })
        }).pipe(
          Effect.catchTag("SqlError", unavailableOrDie),
          Effect.flatMap(Effect.fromResult),
          Effect.withSpan("AppealStore.updateTicket")
        ),

      open: Effect.fn("AppealStore.open")(
        (session, kind, id, message) => openAppeal(sql, session, kind, id, message),
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      append: Effect.fn("AppealStore.append")(
        function* (session, kind, appeal, message, appended) {
          const rows = yield* insertMessage(sql, session, kind, appeal, message, appended)
          yield* sql.afterCommit(notify)
          return yield* Effect.flatMap(messagesIn(rows), only)
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      ticketStatuses: Effect.fn("AppealStore.ticketStatuses")(
        (session) => statusesOf(sql, session),
        Effect.catchTag("SqlError", unavailableOrDie)
      ),
      lockTicketStatuses: Effect.fn("AppealStore.lockTicketStatuses")(
        (session, held) => lockStatuses(sql, session, held),
        Effect.catchTag("SqlError", unavailableOrDie)
      ),
      usedStatuses: Effect.fn("AppealStore.usedStatuses")(
        (session, names) => usedStatuses(sql, session, names),
        Effect.catchTag("SqlError", unavailableOrDie)
      ),
      setTicketStatuses: Effect.fn("AppealStore.setTicketStatuses")(
        (session, statuses) => replaceStatuses(sql, session, statuses),
        Effect.catchTag("SqlError", unavailableOrDie)
      )
    })
  })
)

/** The chats of a ticket after a change by somebody who saw `seen` of them: those they did not see stay. */
const withUnseen = (
  sql: SqlClient.SqlClient,
  next: ReadonlyArray<number>,
  seen: ReadonlyArray<number>
): Statement.Fragment =>
  sql`array(select distinct id from unnest(${idArray(sql, next)} || array(
    select kept from unnest(a.chat_ids) kept where not (kept = any(${idArray(sql, seen)})))) id order by id)`
