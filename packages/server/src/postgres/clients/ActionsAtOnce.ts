// Actions that no external event can have brought before, with their receipts and entries in the audit log: those of several
// requests in one statement, which judges what they name as well. Each goes in where all is there for its caller and its key is free.
import type { ClientContextStore } from "@rapport/core/clients/ClientContextStore.ts"
import { registeredJson } from "@rapport/core/clients/RegisteredJson.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { inProgressOrUnavailable } from "../receipts/ReceiptsPostgres.ts"
import { cte, statement } from "../sql/CommonTables.ts"
import { queryOr, rowsOf } from "../sql/Query.ts"
import { appealVisible } from "../sql/Visibility.ts"
import { LOCKED, makeWriteBatches } from "../sql/WriteBatches.ts"
import {
  type Batch,
  batchStatement,
  clientFits,
  entriesOf,
  givenRows,
  keepingClients,
  perhapsLocked,
  rowOf
} from "./WritesAtOnce.ts"

type Sql = SqlClient.SqlClient
type Store = ClientContextStore["Service"]

const Places = Schema.Array(Schema.Int)
interface Registered {
  readonly isAllowed: boolean
  readonly written: boolean
}
const writtenRows = rowsOf(Schema.Struct({ written: Places, allowed: Places, locked: Places }))

export const makeActionsAtOnce = (sql: Sql): Effect.Effect<Pick<Store, "registerAtOnce">> => {
  const write = batchStatement(sql, (batch) => writing(sql, batch))
  return Effect.map(
    makeWriteBatches<Registered>((instanceId, rows, mayWait) =>
      Effect.map(writtenRows.get(write(instanceId, rows, mayWait)), ({ allowed, locked, written }) =>
        rows.map((_, at) =>
          locked.includes(at + 1)
            ? LOCKED
            : { isAllowed: allowed.includes(at + 1), written: written.includes(at + 1) }
        )
      )
    ),
    (batched) => ({
      registerAtOnce: queryOr(
        "ClientContextStore.registerAtOnce",
        inProgressOrUnavailable,
        function* (writer, answer, claim) {
          const row = { ...(yield* rowOf(writer, claim)), shown: registeredJson(answer) }
          return yield* batched(writer.session.instanceId, JSON.stringify(row))
        }
      )
    })
  )
}

const actionColumns = `id uuid, "clientId" int8, type text, "actorType" text, "actorId" int8, "occurredAt" timestamptz,
  "recordedAt" timestamptz, source text, channel text, "subjectId" int8, "appealId" int8, summary text, payload json`

/** Of `given`, `asked`, `caller u` and `clients c`: all that is named is there for the caller. */
const isThere = (sql: Sql, batch: Batch): Statement.Fragment =>
  sql`${clientFits(sql, batch, `asked."clientId"`)}
    and (asked."appealId" is null or exists (select 1 from appeals a where a.instance_id = u.instance_id
      and a.id = asked."appealId" and a.client_id = c.id and ${appealVisible(sql)}))
    and (asked."subjectId" is null or exists (select 1 from subjects subject
      where subject.instance_id = u.instance_id and subject.id = asked."subjectId"))`

/** Receipts go in by key and actions by client, so that two batches never wait for each other. */
const writing = (sql: Sql, batch: Batch) => {
  const instance = sql`${batch.instanceId}::int8`
  const given = sql`given join asked on asked.place = given.place`
  return statement(
    sql,
    [
      ...givenRows(sql, batch, ["shown json"]),
      cte(
        sql,
        "asked",
        sql`select given.place, action.* from given,
          lateral json_to_record(given.shown->'action') as action(${sql.literal(actionColumns)})`,
        "materialized"
      ),
      // The client is held, so that a merge comes before or after, never between.
      cte(
        sql,
        "fit",
        sql`select given.place from ${given}, caller u, clients c where ${isThere(sql, batch)}
          ${keepingClients(sql, batch)}`,
        "materialized"
      ),
      cte(
        sql,
        "claimed",
        sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at, answer)
          select ${instance}, given.principal, 'client.action.register', given.key, given.receipt_id, given.command,
            given.committed_at, given.shown
          from given join fit on fit.place = given.place order by given.principal, given.key, given.place
          on conflict do nothing returning id`
      ),
      cte(
        sql,
        "made",
        sql`insert into client_actions (instance_id, id, client_id, type, actor_type, actor_id, occurred_at, recorded_at,
            source, channel, subject_id, appeal_id, summary, payload, fingerprint, receipt)
          select ${instance}, asked.id, asked."clientId", asked.type, asked."actorType", asked."actorId", asked."occurredAt",
            asked."recordedAt", asked.source, asked.channel, asked."subjectId", asked."appealId", asked.summary,
            asked.payload, given.command, given.shown->'receipt'
          from given join claimed on claimed.id = given.receipt_id join asked on asked.place = given.place
          order by asked."clientId"
          returning id, client_id`
      ),
      cte(
        sql,
        "done",
        sql`select given.*, made.client_id, made.id as action_id from made join asked on asked.id = made.id
          join given on given.place = asked.place`
      ),
      entriesOf(
        sql,
        batch,
        "client.action.register",
        "done",
        "json_build_object('receiptId', receipt_id, 'actionId', action_id)"
      )
    ],
    sql`select coalesce((select json_agg(done.place) from done), '[]') as written,
      coalesce((select json_agg(allowed.place) from allowed), '[]') as allowed,
      ${perhapsLocked(sql, batch, given, isThere(sql, batch))} as locked`
  )
}
