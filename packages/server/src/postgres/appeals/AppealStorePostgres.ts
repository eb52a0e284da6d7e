// Chats and tickets in PostgreSQL: found and listed by Visibility, changed under a row lock, the index notified after the
// commit (contract §2, §7).
import { Chat } from "@rapport/contract/appeals/ChatsApi.ts"
import { Ticket } from "@rapport/contract/appeals/TicketsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { type AppealKind, type AppealMethods, AppealStore } from "@rapport/core/appeals/AppealStore.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { query, updateLocked, valuesOf } from "../sql/Query.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { appealVisible, callerOf } from "../sql/Visibility.ts"
import { updateChat, updateTicket } from "./AppealChanges.ts"
import { continueHistory } from "./AppealContinuation.ts"
import { chatJson, seenTicketJson, ticketJson } from "./AppealColumns.ts"
import { makeAppealPages } from "./AppealPages.ts"
import { appealMessageChanges } from "./AppealMessageChanges.ts"
import { appealMessageWrites } from "./AppealMessageWrites.ts"
import { referenceMethods } from "./AppealReferences.ts"
import { transcriptMethods } from "./AppealTranscripts.ts"
import { createAppeal, outcomesOf } from "./AppealWrites.ts"
import { statusMethods } from "./TicketStatuses.ts"

type Needs = SqlClient.SqlClient | OutboxSignal | DeliverySignal

export const layer: Layer.Layer<AppealStore, never, Needs> = Layer.effect(
  AppealStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { notify } = yield* OutboxSignal
    const leaving = yield* DeliverySignal
    const notifyAll = Effect.andThen(notify, leaving.notify)
    return AppealStore.of({
      chats: methodsOf(sql, notify, {
        kind: "chat",
        record: Chat,
        json: chatJson,
        seenJson: chatJson,
        update: updateChat
      }),
      tickets: methodsOf(sql, notify, {
        kind: "ticket",
        record: Ticket,
        json: ticketJson,
        seenJson: seenTicketJson,
        update: updateTicket
      }),
      ...statusMethods(sql),
      ...referenceMethods(sql),
      ...transcriptMethods(sql),
      ...appealMessageChanges(sql, notifyAll),
      ...appealMessageWrites(sql, (isLeaving) => (isLeaving ? notifyAll : notify)),
      continueHistory: query("AppealStore.continueHistory", (session, id, draft) =>
        Effect.andThen(continueHistory(sql, session, id, draft), sql.afterCommit(notify))
      )
    })
  })
)

interface Appeals<A, I> {
  readonly kind: AppealKind
  readonly record: Schema.Codec<A, I>
  /** SQL of the record of `appeals a`. */
  readonly json: string
  /** The same as the caller may see it. */
  readonly seenJson: string
  readonly update: (
    sql: Sql,
    session: AuthorizedSession,
    change: readonly [found: A, next: A]
  ) => Effect.Effect<A, SqlError.SqlError>
}

const methodsOf = <A extends { readonly id: number; readonly clientId: number }, I>(
  sql: Sql,
  notify: Effect.Effect<void>,
  { json, kind, record, seenJson, update }: Appeals<A, I>
): AppealMethods<A> => {
  const rows = valuesOf(Schema.toCodecJson(record))
  const outcomes = outcomesOf(record)
  const find = (session: AuthorizedSession, id: number, lock = "") =>
    rows.find(sql`with ${callerOf(session)} select ${sql.literal(seenJson)} as record from appeals a, caller u
      where a.instance_id = u.instance_id and a.id = ${id} and a.kind = ${kind} and ${appealVisible}
      ${sql.literal(lock)}`)
  return {
    find: query(`AppealStore.${kind}s.find`, (session, id) => find(session, id)),
    list: query(`AppealStore.${kind}s.list`, makeAppealPages(sql, kind)),
    create: (session, write) => createAppeal(sql, notify, { session, write, json, outcomes }),
    update: (session, id, decide) =>
      updateLocked(`AppealStore.${kind}s.update`, unavailableOrDie, {
        find: find(session, id, "for no key update of a"),
        decide,
        write: (next, found) => Effect.tap(update(sql, session, [found, next]), () => sql.afterCommit(notify))
      })
  }
}
