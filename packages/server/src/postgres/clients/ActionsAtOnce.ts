// Actions that no external event can have brought before, with their receipts and entries in the audit log: those of several
// requests in one statement. Each goes in where its key is free.
import { ActionRegistered } from "@rapport/contract/clients/ClientContextApi.ts"
import { actorOf } from "@rapport/core/audit/AuditLog.ts"
import { currentOrigin } from "@rapport/core/audit/Origin.ts"
import type { ClientContextStore } from "@rapport/core/clients/ClientContextStore.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { inProgressOrUnavailable, principalOf } from "../receipts/ReceiptsPostgres.ts"
import { cte, statement } from "../sql/CommonTables.ts"
import { queryOr, rowsOf } from "../sql/Query.ts"
import { makeWriteBatches } from "../sql/WriteBatches.ts"

type Sql = SqlClient.SqlClient
type Store = ClientContextStore["Service"]

const encodeAnswer = Schema.encodeEffect(Schema.toCodecJson(ActionRegistered))
const writtenRows = rowsOf(Schema.Struct({ written: Schema.Array(Schema.Int) }))

/** How long a batch waits for an equal key: then each of its rows waits by itself. */
const BATCH_LOCK_MILLIS_MAX = 250

export const makeActionsAtOnce = (sql: Sql): Effect.Effect<Pick<Store, "registerAtOnce">> =>
  Effect.map(
    makeWriteBatches((instanceId, rows, isAlone) =>
      Effect.map(
        writtenRows.get(writing(sql, instanceId, rows, isAlone ? null : `${BATCH_LOCK_MILLIS_MAX}ms`)),
        ({ written }) => rows.map((_, at) => written.includes(at + 1))
      )
    ),
    (batched) => ({
      registerAtOnce: queryOr(
        "ClientContextStore.registerAtOnce",
        inProgressOrUnavailable,
        (writer, answer, claim) =>
          Effect.gen(function* () {
            const { actorId, actorType } = actorOf(writer.session)
            const { address, requestId } = yield* currentOrigin
            const shown = yield* Effect.orDie(encodeAnswer(answer))
            const row = {
              shown,
              principal: principalOf(claim.caller),
              key: claim.key,
              committed_at: isoOf(claim.committedAt),
              command: claim.fingerprint,
              actor_type: actorType,
              actor_id: actorId,
              request_id: requestId,
              address
            }
            return yield* batched(writer.session.instanceId, JSON.stringify(row))
          })
      )
    })
  )

const columns = [
  "shown json",
  "principal text",
  "key text",
  "committed_at timestamptz",
  "command text",
  "actor_type text",
  "actor_id int8",
  "request_id text",
  "address text"
]
const actionColumns = `id uuid, "clientId" int8, type text, "actorType" text, "actorId" int8, "occurredAt" timestamptz,
  "recordedAt" timestamptz, source text, channel text, "subjectId" int8, "appealId" int8, summary text, payload json`

/**
 * Receipts go in by key and actions by client, so that two batches never wait for each other. `locks` is the lock_timeout of
 * this statement, null: that of the connection.
 */
const writing = (sql: Sql, instanceId: number, rows: ReadonlyArray<string>, locks: string | null) => {
  const names = columns.map((column) => column.split(" ", 1)[0]).join(", ")
  const instance = sql`${instanceId}::int8`
  return statement(
    sql,
    [
      cte(
        sql,
        "patience",
        sql`select set_config('lock_timeout', coalesce(${locks}::text, current_setting('lock_timeout')), true)`,
        "materialized"
      ),
      cte(
        sql,
        "given",
        sql`select entry.*, action.*, (entry.shown->'receipt'->>'id')::uuid as receipt_id, entry.shown->'receipt' as receipt
          from patience, rows from (json_to_recordset(${`[${rows.join(",")}]`}::text::json)
            as (${sql.literal(columns.join(", "))})) with ordinality as entry(${sql.literal(names)}, place),
          lateral json_to_record(entry.shown->'action') as action(${sql.literal(actionColumns)})`,
        "materialized"
      ),
      cte(
        sql,
        "claimed",
        sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at, answer)
          select ${instance}, principal, 'client.action.register', key, receipt_id, command, committed_at, shown
          from given order by principal, key
          on conflict do nothing returning id`
      ),
      cte(
        sql,
        "made",
        sql`insert into client_actions (instance_id, id, client_id, type, actor_type, actor_id, occurred_at, recorded_at,
            source, channel, subject_id, appeal_id, summary, payload, fingerprint, receipt)
          select ${instance}, given.id, "clientId", type, "actorType", "actorId", "occurredAt", "recordedAt", source,
            channel, "subjectId", "appealId", summary, payload, command, receipt
          from given join claimed on claimed.id = given.receipt_id order by "clientId"
          returning id`
      ),
      cte(
        sql,
        "entry",
        sql`insert into audit_log (instance_id, action, actor_type, actor_id, entity, entity_id, decision, request_id,
            address, details)
          select ${instance}, 'client.action.register', actor_type, actor_id, 'client', "clientId"::text, 'allowed',
            request_id, address, json_build_object('receiptId', receipt_id, 'actionId', given.id)
          from given join made on made.id = given.id`
      )
    ],
    sql`select coalesce(json_agg(given.place), '[]') as written from given join made on made.id = given.id`
  )
}
