// Actions of a client in PostgreSQL: a unique index decides about external events (docs/contract.md §4.1).
import { ClientAction, clientActions, ClientState } from "@rapport/contract/clients/ClientContextApi.ts"
import { Receipt } from "@rapport/contract/receipts/Receipt.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { ClientContextStore } from "@rapport/core/clients/ClientContextStore.ts"
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { contextWriteEntry } from "../audit/ContextWriteEntry.ts"
import { inProgressOrUnavailable } from "../receipts/ReceiptsPostgres.ts"
import { cte, statement } from "../sql/CommonTables.ts"
import { query, queryOr, rowsOf } from "../sql/Query.ts"
import { type Column, listRows } from "../sql/ListQuery.ts"
import { recordJson } from "../sql/Records.ts"
import { appealVisible, callerOf } from "../sql/Visibility.ts"

type Sql = SqlClient.SqlClient
type Store = ClientContextStore["Service"]

/** Of `client_actions action`. */
const actionColumns: Readonly<Record<string, Column>> = {
  id: { sql: "action.id" },
  clientId: { sql: "action.client_id" },
  type: { sql: "action.type" },
  occurredAt: { sql: "action.occurred_at", time: true },
  actorType: { sql: "action.actor_type" },
  actorId: { sql: "action.actor_id" },
  externalEventId: { sql: "action.external_event_id" },
  source: { sql: "action.source" },
  channel: { sql: "action.channel" },
  subjectId: { sql: "action.subject_id" },
  appealId: { sql: "action.appeal_id" },
  summary: { sql: "action.summary" },
  payload: { sql: "action.payload" },
  recordedAt: { sql: "action.recorded_at", time: true }
}

const actionJson = recordJson(actionColumns, clientActions.members)

const registeredRows = rowsOf(
  Schema.Struct({
    action: Schema.toCodecJson(ClientAction),
    fingerprint: Schema.NullOr(Schema.String),
    receipt: Schema.NullOr(Schema.toCodecJson(Receipt)),
    state: Schema.NullOr(Schema.toCodecJson(ClientState))
  })
)

const encodeReceipt = Schema.encodeEffect(Schema.toCodecJson(Receipt))

const encodeState = Schema.encodeEffect(Schema.toCodecJson(ClientState))

/** Actions: a unique index decides about external events. */
export const actionOperations = (sql: Sql) =>
  ({
    register: queryOr(
      "ClientContextStore.register",
      inProgressOrUnavailable,
      function* (writer, action, receipt, fingerprint) {
        const { instanceId } = writer.session
        const entry = yield* contextWriteEntry(sql, "made", writer, { actionId: action.id })
        const kept = JSON.stringify(yield* Effect.orDie(encodeReceipt(receipt)))
        const inserted = insertAction(sql, { instanceId, action, kept, fingerprint })
        const made = yield* statement(
          sql,
          [
            cte(sql, "made", sql`${inserted} on conflict do nothing returning client_id`),
            cte(sql, "entry", entry)
          ],
          sql.literal("select 1 from made")
        )
        if (made.length > 0) return undefined
        const before =
          yield* registeredRows.get(sql`select ${sql.literal(actionJson)} as action, action.fingerprint, action.receipt,
              action.state_written as state
    from client_actions action where action.instance_id = ${instanceId} and action.client_id = ${action.clientId}
      and coalesce(action.source, '') = coalesce(${action.source}::text, '')
        and action.external_event_id = ${action.externalEventId}
    order by (action.fingerprint = ${fingerprint}) is true desc, action.merged_from_id nulls first limit 1`)
        const { fingerprint: known, receipt: first } = before
        return known === null || first === null ? "seeded" : { ...before, fingerprint: known, receipt: first }
      }
    ),

    complete: query("ClientContextStore.complete", function* (instanceId, actionId, state) {
      const written = JSON.stringify(yield* Effect.orDie(encodeState(state)))
      yield* sql`update client_actions set state_written = ${written}::text::json
    where instance_id = ${instanceId} and id = ${actionId}`
    }),

    listActions: query("ClientContextStore.listActions", (session, clientId, request) =>
      listRows(
        sql,
        {
          collection: clientActions,
          common: callerOf(sql, session),
          from: sql.literal("client_actions action, caller u"),
          where: sql`action.instance_id = u.instance_id and action.client_id = ${clientId} and (action.appeal_id is null
            or exists (
        select 1 from appeals a where a.instance_id = action.instance_id and a.id = action.appeal_id
          and ${appealVisible(sql)}))`,
          columns: actionColumns
        },
        request
      )
    )
  }) satisfies Partial<Store>

/** `insert into client_actions … select …`; `kept` is the receipt as JSON. */
const insertAction = (
  sql: Sql,
  {
    action,
    fingerprint,
    instanceId,
    kept
  }: {
    readonly instanceId: number
    readonly action: ClientAction
    readonly kept: string
    readonly fingerprint: string
  }
): Statement.Fragment =>
  sql`insert into client_actions (instance_id, id, client_id, type, actor_type, actor_id, occurred_at, recorded_at,
      external_event_id, source, channel, subject_id, appeal_id, summary, payload, fingerprint, receipt)
    select ${instanceId}::int8, ${action.id}::uuid, ${action.clientId}::int8, ${action.type}::text,
      ${action.actorType}::text, ${action.actorId}::int8, ${isoOf(action.occurredAt)}::timestamptz,
      ${isoOf(action.recordedAt)}::timestamptz, ${action.externalEventId}::text, ${action.source}::text,
      ${action.channel}::text, ${action.subjectId}::int8, ${action.appealId}::int8, ${action.summary}::text,
      ${JSON.stringify(action.payload)}::text::json, ${fingerprint}::text, ${kept}::text::json`
