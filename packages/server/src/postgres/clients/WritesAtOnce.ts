// What statements share that make context writes of several requests of one instance together: who makes each, whether they
// may, and what its receipt and its entry in the audit log say.
import { actorOf, currentOrigin } from "@rapport/core/audit/AuditLog.ts"
import type { Writer } from "@rapport/core/audit/Writer.ts"
import type { Claim } from "@rapport/core/receipts/Receipts.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { principalOf } from "../receipts/ReceiptsPostgres.ts"
import { cte } from "../sql/CommonTables.ts"
import { callersOf, holds, isCallerOf } from "../sql/Visibility.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** How long a batch waits for a lock: then each of its rows waits by itself. */
const BATCH_LOCK_MILLIS_MAX = 250

/** Columns of every row beside those of its write. */
const columns = [
  "user_id int8",
  "session_id uuid",
  "token_id int8",
  "principal text",
  "key text",
  "receipt_id uuid",
  "committed_at timestamptz",
  "command text",
  "actor_type text",
  "actor_id int8",
  "request_id text",
  "address text"
]

/** The values of these columns; those of a receipt are null without a claim. */
export const rowOf = ({ session }: Pick<Writer, "session">, claim: Claim | null) =>
  Effect.map(currentOrigin, ({ address, requestId }) => {
    const { actorId, actorType } = actorOf(session)
    return {
      user_id: session.userId,
      session_id: session.sessionId,
      token_id: session.tokenId,
      principal: principalOf(session),
      key: claim?.key ?? null,
      receipt_id: claim?.id ?? null,
      committed_at: claim && isoOf(claim.committedAt),
      command: claim?.fingerprint ?? null,
      actor_type: actorType,
      actor_id: actorId,
      request_id: requestId,
      address
    }
  })

/** Values of a statement that writes several rows. */
export interface Batch {
  readonly instanceId: number
  /** A JSON array of objects. */
  readonly rows: string
  /** How long it waits for a lock; null where it may wait as any statement does. */
  readonly patience: string | null
}

/** Makes statements of one kind. */
export const batchStatement =
  (_: Sql, build: (batch: Batch) => Statement.Statement<unknown>) =>
  (instanceId: number, rows: ReadonlyArray<string>, mayWait: boolean): Statement.Statement<unknown> =>
    build({
      instanceId,
      rows: `[${rows.join(",")}]`,
      patience: mayWait ? null : `${BATCH_LOCK_MILLIS_MAX}ms`
    })

/**
 * The tables `given`, whose rows have their `place` from 1, `caller` and `allowed`: places of rows whose caller is one still, and
 * meets `may`, a condition on `given` and `caller u`. `own` are the columns of the write.
 */
export const givenRows = (
  sql: Sql,
  { instanceId, patience, rows }: Batch,
  own: ReadonlyArray<string>,
  may: Fragment = holds(sql, "context.write")
): ReadonlyArray<Fragment> => {
  const all = [...columns, ...own]
  const names = all.map((column) => column.split(" ", 1)[0]).join(", ")
  return [
    cte(
      sql,
      "patience",
      sql`select set_config('lock_timeout', coalesce(${patience ?? sql.literal("null")}::text, current_setting('lock_timeout')), true)`,
      "materialized"
    ),
    cte(
      sql,
      "given",
      sql`select entry.* from patience, rows from (json_to_recordset(${rows}::text::json)
        as (${sql.literal(all.join(", "))})) with ordinality as entry(${sql.literal(names)}, place)`,
      "materialized"
    ),
    callersOf(sql, instanceId, "given"),
    cte(
      sql,
      "allowed",
      sql`select given.place from given join caller u on ${sql.literal(isCallerOf("given"))}
        where ${may}`,
      "materialized"
    )
  ]
}

/** Locks of the clients of rows that fit: what another transaction holds is left out, unless the statement may wait. */
export const keepingClients = (sql: Sql, { patience }: Batch): Fragment =>
  sql.literal(`order by c.id for key share of c${patience === null ? "" : " skip locked"}`)

/**
 * Places that are not in `fit`, though all is there for their callers by `isThere`, a condition on `source`, `caller u` and `clients c`:
 * perhaps another transaction holds the client.
 */
export const perhapsLocked = (sql: Sql, { patience }: Batch, source: Fragment, isThere: Fragment): Fragment =>
  patience === null
    ? sql`'[]'::json`
    : sql`coalesce(case when (select count(*) from fit) < (select count(*) from given) then (select json_agg(given.place)
        from ${source}, caller u, clients c where given.place not in (select fit.place from fit) and ${isThere}) end, '[]')`

/** Entries of the rows of `source`, which has all columns of `given`; `id` is SQL of what `entity` is. */
export const entriesOf = (
  sql: Sql,
  { instanceId }: Batch,
  operation: string,
  source: string,
  details: string,
  [entity, id]: readonly [entity: string, id: string] = ["client", "client_id"]
) =>
  cte(
    sql,
    "entry",
    sql`insert into audit_log (instance_id, action, actor_type, actor_id, entity, entity_id, decision, request_id,
        address, details)
      select ${instanceId}::int8, ${sql.literal(`'${operation}', actor_type, actor_id, '${entity}', ${id}`)}::text, 'allowed',
        request_id, address, ${sql.literal(details)} from ${sql.literal(source)}`
  )
