// Compares the database with the answers of the writers: it has every acknowledged write once, and no other.
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { faultsIn } from "../Linearizable.ts"
import type { CrashLedger } from "./CrashLedger.ts"

const { Int, NullOr, Struct, Array: listOf, String: Text, Boolean: Flag } = Schema
const rows = Schema.decodeUnknownSync
const decode = {
  actions: rows(listOf(Struct({ id: Text, tag: NullOr(Text), receipt: Text, type: Text }))),
  receipts: rows(listOf(Struct({ key: Text, answered: Flag }))),
  versions: rows(listOf(Struct({ client: Int, namespace: Text, version: Int, tag: NullOr(Text) }))),
  present: rows(listOf(Struct({ client: Int, namespace: Text, version: Int, tag: NullOr(Text) }))),
  sessions: rows(
    listOf(Struct({ id: Text, status: Text, counted: Int, contexts: Int, external: NullOr(Text) }))
  ),
  messages: rows(listOf(Struct({ id: Text, session: Text, sequence: Int, content: Text }))),
  batches: rows(
    listOf(Struct({ key: Text, status: Text, next: Int, items: Int, distinct: Int, failed: Int }))
  ),
  imported: rows(listOf(Struct({ source: Text, actions: Int, states: Int, messages: Int, sessions: Int }))),
  withoutEntry: rows(listOf(Struct({ missing: Text })))
}

/** Lists all differences. Only the writers wrote to these clients. */
export const audit = Effect.fnUntraced(function* (
  ledger: CrashLedger,
  clientIds: ReadonlyArray<number>
): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const wrong: Array<string> = [...ledger.faults]
  const ours = sql`client_id = any(${clientIds}::int8[])`
  const same = (what: string, found: Iterable<string>, acknowledged: Iterable<string>) => {
    const [left, right] = [new Map<string, number>(), new Map<string, number>()]
    for (const one of found) left.set(one, (left.get(one) ?? 0) + 1)
    for (const one of acknowledged) right.set(one, (right.get(one) ?? 0) + 1)
    for (const one of new Set([...left.keys(), ...right.keys()])) {
      const [stored = 0, answered = 0] = [left.get(one), right.get(one)]
      if (stored !== answered) wrong.push(`${what} ${one}: acknowledged ${answered}, found ${stored}`)
    }
  }

  const actions = decode.actions(
    yield* sql`select id, summary as tag, receipt->>'id' as receipt, type from client_actions where ${ours}`
  )
  same(
    "action",
    actions
      .filter(({ type }) => type === "crash.test")
      .map(({ id, receipt, tag }) => `${tag} ${id} ${receipt}`),
    ledger.actions.map(({ id, receiptId, tag }) => `${tag} ${id} ${receiptId}`)
  )

  const keys = [...ledger.kept, ...ledger.refused]
  const receipts = decode.receipts(
    yield* sql`select key, answer is not null as answered from receipts where key = any(${keys}::text[])`
  )
  same(
    "receipt",
    receipts.map(({ answered, key }) => `${key} ${answered}`),
    [...ledger.kept].map((key) => `${key} true`)
  )

  const versions = decode.versions(
    yield* sql`select client_id::float8 as client, namespace, version::float8 as version, state->>'tag' as tag
      from client_state_history where ${ours} and namespace not like 'i.%' order by 1, 2, 3`
  )
  same(
    "version",
    versions.map(({ client, namespace, tag, version }) => `${client}/${namespace} ${version} ${tag}`),
    ledger.versions.map(
      ({ clientId, namespace, tag, version }) => `${clientId}/${namespace} ${version} ${tag}`
    )
  )
  // The current state is the last version, and the history has no gaps.
  same(
    "state",
    decode
      .present(
        yield* sql`select client_id::float8 as client, namespace, version::float8 as version, state->>'tag' as tag
          from client_state where ${ours} and namespace not like 'i.%'`
      )
      .map(({ client, namespace, tag, version }) => `${client}/${namespace} ${version} ${tag}`),
    Map.groupBy(versions, ({ client, namespace }) => `${client}/${namespace}`)
      .entries()
      .map(([register, all]) => `${register} ${all.length} ${all.at(-1)?.tag}`)
  )

  const messages = decode.messages(
    yield* sql`select id, session_id as session, sequence, content from session_messages where ${ours} order by 2, 3`
  )
  const imported = new Set(ledger.imports.map(({ source }) => `${source}-2`))
  const sessions = decode.sessions(
    yield* sql`select id, status, message_count as counted, working_context_version::float8 as contexts,
      external_session_id as external from context_sessions where ${ours}`
  )
  const own = sessions.filter(({ external }) => external === null || !imported.has(external))
  same(
    "session",
    own.map(({ contexts, id, status }) => `${id} ${status} ${contexts}`),
    ledger.sessions
      .entries()
      .map(([id, { closed, contexts }]) => `${id} ${closed ? "closed" : "open"} ${contexts}`)
  )
  const ownIds = new Set(own.map(({ id }) => id))
  same(
    "message",
    messages
      .filter(({ session }) => ownIds.has(session))
      .map(({ content, id, sequence, session }) => `${session} ${sequence} ${id} ${content}`),
    ledger.messages.map(({ content, id, sequence, sessionId }) => `${sessionId} ${sequence} ${id} ${content}`)
  )
  const inSession = Map.groupBy(messages, ({ session }) => session)
  for (const { counted, id } of sessions) {
    const sequences = (inSession.get(id) ?? []).map(({ sequence }) => sequence)
    if (sequences.length !== counted || sequences.some((sequence, i) => sequence !== i + 1))
      wrong.push(`session ${id} counts ${counted}: ${sequences.join(" ")}`)
  }

  same(
    "batch",
    decode
      .batches(
        yield* sql`select b.key, b.status, b.next_index as next, b.failed, count(*)::int4 as items,
          count(distinct i.index)::int4 as distinct
        from import_batches b join import_items i on i.instance_id = b.instance_id and i.batch_id = b.id
        where b.key = any(${ledger.imports.map(({ key }) => key)}::text[]) group by b.instance_id, b.id`
      )
      .map((b) => `${b.key} ${b.status} ${b.next} ${b.items} ${b.distinct} ${b.failed}`),
    ledger.imports.map(
      ({ failed, key, kinds: { length } }) =>
        `${key} completed_with_errors ${length} ${length} ${length} ${failed}`
    )
  )
  same(
    "import",
    decode
      .imported(
        yield* sql`select s.source,
          (select count(*)::int4 from client_actions where ${ours} and source = s.source) as actions,
          (select count(*)::int4 from client_state_history where ${ours} and namespace = 'i.' || s.source) as states,
          (select count(*)::int4 from session_messages where ${ours} and external_message_id like s.source || '-%') as messages,
          (select count(*)::int4 from context_sessions where ${ours} and external_session_id = s.source || '-2') as sessions
        from unnest(${ledger.imports.map(({ source }) => source)}::text[]) s(source)`
      )
      .map((s) => `${s.source} ${s.actions} ${s.states} ${s.messages} ${s.sessions}`),
    // Of twelve items: three actions, three states, one session, three messages, two faulty items.
    ledger.imports.map(({ source }) => `${source} 3 3 3 1`)
  )

  for (const { missing } of decode.withoutEntry(yield* withoutEntry(sql, clientIds)))
    wrong.push(`no outbox entry of client memory for ${missing}`)

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
    select w.kind || ' ' || w.id as missing from written w where not exists (
      select 1 from memory_entries e join outbox o on o.instance_id = e.instance_id and o.kind = 'client_memory' and o.key = e.id
      where e.instance_id = w.instance_id and e.kind = w.kind and e.source_id = w.id)`
