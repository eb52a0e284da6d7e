// Compare-and-set of states that are there, with their history, receipts and entries in the audit log: those of several requests
// in one statement. One of the writers of a state wins, and the others learn its version of the same statement.
import { Receipt } from "@rapport/contract/receipts/Receipt.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { ClientContextStore } from "@rapport/core/clients/ClientContextStore.ts"
import { inSpan } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { cte, statement } from "../sql/CommonTables.ts"
import { orUnavailable, rowsOf } from "../sql/Query.ts"
import { isRefused } from "../sql/SqlFailure.ts"
import { LOCKED, makeWriteBatches } from "../sql/WriteBatches.ts"
import {
  type Batch,
  batchStatement,
  clientFits,
  entriesOf,
  givenRows,
  keepingClients,
  rowOf
} from "./WritesAtOnce.ts"

type Sql = SqlClient.SqlClient
type Store = ClientContextStore["Service"]

const operation = "client.state.put"
const encodeReceipt = Schema.encodeEffect(Schema.toCodecJson(Receipt))

/** Place, whether the caller may write, whether it won, and the version that stands where a version was refused. */
const OutcomeRow = Schema.Tuple([Schema.Int, Schema.Boolean, Schema.Boolean, Schema.NullOr(Schema.Int)])
const outcomeRows = rowsOf(
  Schema.Struct({ outcomes: Schema.Array(OutcomeRow), locked: Schema.Array(Schema.Int) })
)
interface Judged {
  readonly isAllowed: boolean
  readonly won: boolean
  readonly version: number | null
}
const undecided: Judged = { isAllowed: false, won: false, version: null }

export const makeStateAtOnce = (sql: Sql): Effect.Effect<Pick<Store, "writeAtOnce">> => {
  const write = batchStatement(sql, (batch) => writing(sql, batch))
  const recent = new RecentVersions()
  return Effect.map(
    makeWriteBatches<Judged>((instanceId, rows, mayWait) =>
      Effect.map(outcomeRows.get(write(instanceId, rows, mayWait)), ({ locked, outcomes }) => {
        const byPlace = new Map(
          outcomes.map(([place, isAllowed, won, version]) => [place, { isAllowed, won, version }])
        )
        return rows.map((_, at) => (locked.includes(at + 1) ? LOCKED : (byPlace.get(at + 1) ?? undecided)))
      })
    ),
    (batched) => ({
      writeAtOnce: (writer, { clientId, instanceId, namespace }, expectedVersion, state, claim) =>
        Effect.gen(function* () {
          const { committedAt, fingerprint, id } = claim
          const receipt = yield* Effect.orDie(encodeReceipt({ committedAt, fingerprint, id, operation }))
          const row = {
            ...(yield* rowOf(writer, claim)),
            client: clientId,
            namespace,
            expected: expectedVersion,
            written_at: isoOf(committedAt),
            receipt,
            state
          }
          const name = `${instanceId}/${clientId}/${namespace}`
          // The writers of one client are served one after the other: they would wait for each other in PostgreSQL.
          const { isAllowed, version, won } = yield* batched(instanceId, JSON.stringify(row), {
            key: clientId,
            of: name,
            isLost: () => expectedVersion !== null && recent.isPast(name, expectedVersion),
            heard: ({ version, won }) => {
              recent.note(name, version, won)
              return !won && version !== null
            }
          }).pipe(
            // Whatever is in the way, such as the receipt of an equal command, is judged in a transaction.
            Effect.catchIf(isRefused, () => Effect.succeed(undecided))
          )
          if (!won || version === null) {
            const isRefusal = expectedVersion !== null && version !== expectedVersion
            return { isAllowed, state: null, conflict: isRefusal ? version : null }
          }
          const written = { clientId, namespace, version, state, updatedAt: committedAt }
          return { isAllowed, state: written, conflict: null }
        }).pipe(orUnavailable, inSpan("ClientContextStore.writeAtOnce"))
    })
  )
}

/** States whose version is remembered; what was noted first makes room. */
const RECENT_MAX = 1_024

/**
 * Versions that were just made or seen. They tell who goes with whom, and decide nothing: the statement of a row that has lost by them
 * judges it as any other.
 */
class RecentVersions {
  readonly #versions = new Map<string, number>()

  isPast(name: string, version: number): boolean {
    return version < (this.#versions.get(name) ?? 0)
  }

  /** What was made stands, whatever was seen before. */
  note(name: string, version: number | null, isMade: boolean): void {
    if (version === null || (!isMade && this.isPast(name, version))) return
    this.#versions.set(name, version)
    const [oldest] = this.#versions.keys()
    if (this.#versions.size > RECENT_MAX && oldest !== undefined) this.#versions.delete(oldest)
  }
}

const own = [
  "client int8",
  "namespace text",
  "expected int8",
  "written_at text",
  "receipt json",
  "state json"
]

const writing = (sql: Sql, batch: Batch) =>
  statement(
    sql,
    [...givenRows(sql, batch, own), ...winners(sql, batch), ...versions(sql, batch)],
    // Who loses learns what the winner made, or what stood. Where another process made a version while this statement waited, its
    // receipt may be that of an equal command: that is for a transaction to judge.
    sql`select coalesce(json_agg(json_build_array(allowed.place, true, written.place is not null,
        case when written.place is not null then written.version
          when locked.version <> seen.version then null
          when seen.free then coalesce(won.version, seen.version) end)), '[]') as outcomes,
        ${lockedPlaces(sql, batch)} as locked
      from allowed left join seen on seen.place = allowed.place
        left join written on written.place = allowed.place
        left join locked on locked.client_id = seen.client and locked.namespace = seen.namespace
        left join (select written.client_id, written.version, winner.namespace from written
          join winner on winner.place = written.place) won
          on won.client_id = seen.client and won.namespace = seen.namespace`
  )

/** Of rows that may win, and whose client another transaction perhaps holds. */
const lockedPlaces = (sql: Sql, { patience }: Batch): Statement.Fragment =>
  patience === null
    ? sql`'[]'::json`
    : sql`coalesce((select json_agg(seen.place) from seen where ${mayWin(sql)}
        and seen.client not in (select kept_client.id from kept_client)), '[]')`

const mayWin = (sql: Sql): Statement.Fragment =>
  sql`seen.free and seen.version = coalesce(seen.expected, seen.version)`

/**
 * The rows of states that are there (`seen`), those states that one of them may write (`locked`), and the row that writes each. Only
 * rows that a version lets in are locked, so that a statement whose writers all lose writes nothing and waits for nobody. Of
 * several of one state the first wins.
 */
const winners = (sql: Sql, batch: Batch): ReadonlyArray<Statement.Fragment> => {
  const { instanceId } = batch
  return [
    // A row whose key is taken, or another row's before it, is for a transaction to judge.
    cte(
      sql,
      "seen",
      sql`select given.place, given.client, given.namespace, given.expected, held.version,
          row_number() over (partition by given.principal, given.key order by given.place) = 1
            and not exists (select 1 from receipts taken where taken.instance_id = ${instanceId}
              and taken.principal = given.principal and taken.operation = ${sql.literal(`'${operation}'`)} and taken.key = given.key) as free
        from given, caller u, clients c, client_state held
        where ${clientFits(sql, batch, "given.client")} and held.instance_id = c.instance_id and held.client_id = c.id
          and held.namespace = given.namespace`,
      "materialized"
    ),
    cte(
      sql,
      "hoped",
      sql`select distinct seen.client, seen.namespace from seen where ${mayWin(sql)}`,
      "materialized"
    ),
    // The client first, as a merge takes them: who took the state first would wait for the merge, and the merge for the state.
    cte(
      sql,
      "kept_client",
      sql`select c.id from clients c where c.instance_id = ${instanceId} and c.id in (select hoped.client from hoped)
        and c.merged_into_id is null and c.erased_at is null ${keepingClients(sql, batch)}`,
      "materialized"
    ),
    cte(
      sql,
      "locked",
      sql`select held.client_id, held.namespace, held.version from client_state held
        join hoped on hoped.client = held.client_id and hoped.namespace = held.namespace
        join kept_client on kept_client.id = held.client_id
        where held.instance_id = ${instanceId} order by held.client_id, held.namespace for no key update of held`,
      "materialized"
    ),
    cte(
      sql,
      "winner",
      sql`select distinct on (seen.client, seen.namespace) seen.place, seen.client, seen.namespace from seen
        join locked on locked.client_id = seen.client and locked.namespace = seen.namespace
        where seen.free and locked.version = coalesce(seen.expected, locked.version)
        order by seen.client, seen.namespace, seen.place`,
      "materialized"
    )
  ]
}

/** The next versions, with history, receipts and entries. A key that is taken meanwhile fails the statement, which is undone. */
const versions = (sql: Sql, batch: Batch): ReadonlyArray<Statement.Fragment> => {
  const { instanceId } = batch
  return [
    cte(
      sql,
      "written",
      sql`update client_state held set version = held.version + 1, state = given.state, updated_at = given.committed_at
        from winner join given on given.place = winner.place
        where held.instance_id = ${instanceId} and held.client_id = winner.client and held.namespace = winner.namespace
        returning held.client_id, held.version, held.updated_at, winner.place`
    ),
    cte(
      sql,
      "done",
      sql`select given.*, written.client_id, written.version, written.updated_at
        from written join given on given.place = written.place`
    ),
    cte(
      sql,
      "history",
      sql`insert into client_state_history (instance_id, client_id, namespace, version, state, updated_at)
        select ${instanceId}::int8, client_id, namespace, version, state, updated_at from done`
    ),
    cte(
      sql,
      "kept",
      sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at, answer)
        select ${instanceId}::int8, principal, ${sql.literal(`'${operation}'`)}, key, receipt_id, command, committed_at,
          json_build_object('receipt', receipt, 'state', json_build_object('clientId', client_id,
            'namespace', namespace, 'version', version, 'state', state, 'updatedAt', written_at)) from done`
    ),
    entriesOf(
      sql,
      batch,
      operation,
      "done",
      "json_build_object('receiptId', receipt_id, 'namespace', namespace, 'version', version)"
    )
  ]
}
