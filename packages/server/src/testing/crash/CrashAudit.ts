// Compares the database with the answers of the writers: it has every acknowledged write once, and no other.
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { valuesOf } from "../../postgres/sql/Query.ts"
import { faultsIn } from "../Linearizable.ts"
import type { CrashLedger } from "./CrashLedger.ts"

const { all: linesOf } = valuesOf(Schema.String)

/** Lists all differences. Only the writers wrote to these clients. */
export const audit = Effect.fnUntraced(function* (
  ledger: CrashLedger,
  clientIds: ReadonlyArray<number>
): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const wrong: Array<string> = [...ledger.faults]
  const ours = sql`client_id = any(${clientIds}::int8[])`
  /** Each acknowledged line must be stored as often as it was acknowledged. */
  const same = Effect.fnUntraced(function* (
    what: string,
    query: Statement.Statement<unknown>,
    acknowledged: Iterable<string>
  ) {
    const missing = new Map<string, number>()
    for (const one of acknowledged) missing.set(one, (missing.get(one) ?? 0) + 1)
    for (const one of yield* linesOf(query)) missing.set(one, (missing.get(one) ?? 0) - 1)
    for (const [one, count] of missing) {
      if (count > 0) wrong.push(`${what} ${one}: ${count} acknowledged and not found`)
      if (count < 0) wrong.push(`${what} ${one}: ${-count} found and not acknowledged`)
    }
  })

  yield* same(
    "action",
    sql`select concat_ws(' ', summary, id, receipt->>'id') as line from client_actions
      where ${ours} and type = 'crash.test'`,
    ledger.actions.map(({ id, receiptId, tag }) => `${tag} ${id} ${receiptId}`)
  )
  yield* same(
    "receipt",
    sql`select concat_ws(' ', key, (answer is not null)::text) as line from receipts
      where key = any(${[...ledger.kept, ...ledger.refused]}::text[])`,
    [...ledger.kept].map((key) => `${key} true`)
  )
  yield* same(
    "version",
    sql`select concat(client_id, '/', namespace, ' ', version, ' ', state->>'tag') as line
      from client_state_history where ${ours} and namespace not like 'i.%'`,
    ledger.versions.map(
      ({ clientId, namespace, tag, version }) => `${clientId}/${namespace} ${version} ${tag}`
    )
  )
  // The current state is the last version, and the history has no gaps.
  yield* same(
    "state",
    sql`select concat(client_id, '/', namespace, ' ', version, ' ', state->>'tag') as line
      from client_state where ${ours} and namespace not like 'i.%'`,
    yield* linesOf(sql`select concat(client_id, '/', namespace, ' ', count(*), ' ',
        (array_agg(state->>'tag' order by version desc))[1]) as line
      from client_state_history where ${ours} and namespace not like 'i.%' group by client_id, namespace`)
  )

  const imported = ledger.imports.map(({ source }) => `${source}-2`)
  const own = sql`select * from context_sessions
    where ${ours} and (external_session_id is null or external_session_id <> all(${imported}::text[]))`
  yield* same(
    "session",
    sql`select concat_ws(' ', id, status, working_context_version) as line from (${own}) own`,
    ledger.sessions
      .entries()
      .map(([id, { closed, contexts }]) => `${id} ${closed ? "closed" : "open"} ${contexts}`)
  )
  yield* same(
    "message",
    sql`select concat_ws(' ', m.session_id, m.sequence, m.id, m.content) as line
      from session_messages m join (${own}) own on own.instance_id = m.instance_id and own.id = m.session_id`,
    ledger.messages.map(({ content, id, sequence, sessionId }) => `${sessionId} ${sequence} ${id} ${content}`)
  )
  yield* same(
    "messages of session",
    sql`select concat_ws(' ', id, (select string_agg(sequence::text, ' ' order by sequence) from session_messages m
        where m.instance_id = s.instance_id and m.session_id = s.id)) as line from context_sessions s where ${ours}`,
    yield* linesOf(sql`select concat_ws(' ', id, (select string_agg(n::text, ' ' order by n)
        from generate_series(1, message_count) n)) as line from context_sessions where ${ours}`)
  )

  yield* same(
    "batch",
    sql`select concat_ws(' ', b.key, b.status, b.next_index, count(*), count(distinct i.index), b.failed) as line
      from import_batches b join import_items i on i.instance_id = b.instance_id and i.batch_id = b.id
      where b.key = any(${ledger.imports.map(({ key }) => key)}::text[]) group by b.instance_id, b.id`,
    ledger.imports.map(
      ({ failed, items, key }) => `${key} completed_with_errors ${items} ${items} ${items} ${failed}`
    )
  )
  yield* same(
    "import",
    sql`select concat_ws(' ', s.source,
        (select count(*) from client_actions where ${ours} and source = s.source),
        (select count(*) from client_state_history where ${ours} and namespace = 'i.' || s.source),
        (select count(*) from session_messages where ${ours} and external_message_id like s.source || '-%'),
        (select count(*) from context_sessions where ${ours} and external_session_id = s.source || '-2')) as line
      from unnest(${ledger.imports.map(({ source }) => source)}::text[]) s(source)`,
    // Of twelve items: three actions, three states, three messages, one session, two faulty items.
    ledger.imports.map(({ source }) => `${source} 3 3 3 1`)
  )
  yield* same("outbox entry of client memory", withoutEntry(sql, clientIds), [])

  for (const [register, history] of ledger.histories)
    for (const fault of faultsIn(history)) wrong.push(`the history of ${register}: ${fault}`)
  return wrong
})

/** Rows without a pending outbox entry of client memory. */
const withoutEntry = (sql: SqlClient.SqlClient, clientIds: ReadonlyArray<number>) =>
  sql`with written as (
      select instance_id, 'action' as kind, id from client_actions where client_id = any(${clientIds}::int8[])
      union all select instance_id, 'state', id from client_state where client_id = any(${clientIds}::int8[])
      union all select instance_id, 'message', id from session_messages where client_id = any(${clientIds}::int8[])
      union all select instance_id, 'working_context', id from context_sessions
        where client_id = any(${clientIds}::int8[]) and working_context is not null)
    select w.kind || ' ' || w.id as line from written w where not exists (
      select 1 from memory_entries e join outbox o on o.instance_id = e.instance_id and o.kind = 'client_memory' and o.key = e.id
      where e.instance_id = w.instance_id and e.kind = w.kind and e.source_id = w.id)`
