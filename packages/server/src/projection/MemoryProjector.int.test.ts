// Client memory on real PostgreSQL and SQLite: what is written about a client is found by words and by recency (contract §3, §5).
import { assert, layer } from "@effect/vitest"
import { textQueryOf } from "@rapport/core/search/text/TextQuery.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import { ClientMemory, type MemoryQuery } from "@rapport/core/memory/ClientMemory.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as MemoryStorePostgres from "../postgres/memory/MemoryStorePostgres.ts"
import * as OutboxSignalPostgres from "../postgres/outbox/OutboxSignalPostgres.ts"
import { sessionOf } from "../testing/ContextFixtures.ts"
import { PostgresFixtures, temporaryFolder } from "../testing/PostgresFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { embeddedMemoryLayer } from "../testing/SearchLayers.ts"
import { MemoryProjector } from "./ProjectorLayers.ts"

const live = { excludeTestServices: true } as const
const CLIENT = 501
const action = "0199a000-0000-7000-8000-000000000001"
const hidden = "0199a000-0000-7000-8000-000000000002"

const memoryLayer = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) =>
    ClientMemory.layer.pipe(
      Layer.provide(MemoryStorePostgres.layer),
      Layer.provideMerge(embeddedMemoryLayer(folder)),
      Layer.provide(OutboxSignalPostgres.layer)
    )
  )
)
const caughtUp = Effect.flatMap(MemoryProjector, (projector) => projector.caughtUp(() => Effect.void))

const searchMemory = Effect.fnUntraced(function* (
  caller: Caller,
  query: string | null,
  over: Partial<MemoryQuery> = {}
) {
  const memory = yield* ClientMemory
  const deadline = (yield* Clock.currentTimeMillis) + 60_000
  return yield* memory.find({
    caller,
    clientId: CLIENT,
    seesAll: false,
    leftOut: null,
    textQuery: query === null ? null : textQueryOf(query),
    minScore: 0,
    explain: false,
    from: null,
    to: null,
    limit: 20,
    deadline,
    ...over
  })
})
const memoriesFor = (...query: Parameters<typeof searchMemory>) =>
  Effect.map(searchMemory(...query), ({ memories }) => memories)

const idsFor = (login: string) =>
  Effect.flatMap(sessionOf(login), (caller) =>
    Effect.map(memoriesFor(caller, "квадрокоптер"), (found) => found.map(({ id }) => id))
  )

const decodeSessions = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ session_id: Schema.String })))

const addAction = Effect.fnUntraced(function* (id: string, summary: string, appealId: number | null) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into client_actions (instance_id, id, client_id, type, actor_type, occurred_at, summary, appeal_id)
    values (1, ${id}::uuid, ${CLIENT}, 'order.created', 'client', now(), ${summary}, ${appealId})`
})

layer(PostgresFixtures.small, live)("ClientMemory", (it) => {
  it.effect("client memory is not ready before it has caught up once, with its reason", () =>
    Effect.gen(function* () {
      const memory = yield* ClientMemory
      if (!(yield* memory.status(1)).ready) {
        const failed = yield* Effect.flip(memoriesFor(yield* sessionOf("administrator"), null))
        assert.strictEqual(failed.reason, "client_memory_not_ready")
      }
      yield* caughtUp
      assert.isTrue((yield* memory.status(1)).ready)
      assert.isFalse((yield* memory.status(99)).ready)
    }).pipe(Effect.provide(memoryLayer))
  )

  it.effect("client memory finds actions, state, session messages and working contexts within 10 s", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const administrator = yield* sessionOf("administrator")
      yield* caughtUp
      yield* addAction(action, "Замовив ґвинтокрил у кредит", null)
      yield* sql`update client_state set state = '{"hobby":"paragliding"}', version = version + 1
        where instance_id = 1 and client_id = ${CLIENT} and namespace = 'crm'`
      yield* sql`update context_sessions set working_context = '{"goals":["знайти посылку с микроскопом"]}',
          working_context_updated_at = now()
        where instance_id = 1 and id = (select id from context_sessions where instance_id = 1 and client_id = ${CLIENT} limit 1)`
      yield* sql`with s as (update context_sessions set message_count = message_count + 1 where instance_id = 1 and id = (
            select id from context_sessions where instance_id = 1 and client_id = ${CLIENT} limit 1) returning id, message_count)
        insert into session_messages (instance_id, session_id, sequence, id, client_id, role, content, occurred_at)
        select 1, id, message_count, '0199a000-0000-7000-8000-00000000000a', ${CLIENT}, 'client', 'my zeppelin is late', now() from s`
      const kinds = Effect.forEach(["ҐВИНТОКРИЛ", "PARAGLIDING", "микроскопа", "zeppelins"], (word) =>
        Effect.map(memoriesFor(administrator, word), ([first]) => first?.kind)
      )
      yield* eventually(kinds, (found) => found.join() === "action,state,state,message")
      const [{ session_id: sessionId } = { session_id: "" }] = yield* decodeSessions(
        yield* sql`select session_id::text as session_id from session_messages where id = '0199a000-0000-7000-8000-00000000000a'`
      )
      for (const word of ["микроскопа", "zeppelins"])
        assert.deepStrictEqual(
          yield* memoriesFor(administrator, word, {
            seesAll: true,
            leftOut: { appealId: null, sessionId }
          }),
          []
        )
      const others = yield* memoriesFor(administrator, "ҐВИНТОКРИЛ", {
        leftOut: { appealId: null, sessionId }
      })
      assert.strictEqual(others[0]?.kind, "action")
    }).pipe(Effect.provide(memoryLayer))
  )

  it.effect("client memory without a query is ordered by time, newest first, within from and to", () =>
    Effect.gen(function* () {
      const administrator = yield* sessionOf("administrator")
      yield* caughtUp
      const all = yield* memoriesFor(administrator, null)
      const times = all.map(({ occurredAt }) => occurredAt)
      assert.isAbove(all.length, 5)
      assert.deepStrictEqual(times, times.toSorted().toReversed())
      assert.isTrue(all.every(({ score }) => score === null))
      const from = Date.parse(times[4] ?? "")
      const to = Date.parse(times[1] ?? "")
      const some = yield* memoriesFor(administrator, null, { from, to })
      assert.deepStrictEqual(
        some.map(({ id }) => id),
        all
          .filter(({ occurredAt }) => Date.parse(occurredAt) >= from && Date.parse(occurredAt) < to)
          .map(({ id }) => id)
      )
    }).pipe(Effect.provide(memoryLayer))
  )

  it.effect("client memory omits entries that name an appeal hidden from the caller", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const appeals =
        yield* sql`select id::int4 as id from appeals where instance_id = 1 and not operator_ids @> '{31}'
        and operator_id is not null and client_id = ${CLIENT} limit 1`
      yield* addAction(hidden, "квадрокоптер", Number(appeals[0]?.["id"]))
      yield* caughtUp
      assert.deepStrictEqual(yield* idsFor("administrator"), [hidden])
      assert.deepStrictEqual(yield* idsFor("operator"), [])
    }).pipe(Effect.provide(memoryLayer))
  )

  it.effect("hidden entries of client memory change no spelling correction and fill no page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [operator, administrator] = [yield* sessionOf("operator"), yield* sessionOf("administrator")]
      const [row] =
        yield* sql`select id::int4 as id from appeals where instance_id = 1 and not operator_ids @> '{31}'
        and operator_id is not null and client_id = ${CLIENT} limit 1`
      const appealId = Number(row?.["id"])
      yield* addAction(randomUUID(), "Тріода й магнетрон", null)
      yield* caughtUp
      const before = yield* searchMemory(operator, "магнетрон")
      assert.lengthOf(before.memories, 1)
      // A word only in hidden texts, and a word in visible texts too; in an action and in a session.
      yield* addAction(randomUUID(), "клістрон магнетрон", appealId)
      const sessionId = randomUUID()
      yield* sql`insert into context_sessions (instance_id, id, client_id, status, created_at, message_count, appeal_id,
          working_context, working_context_updated_at)
        values (1, ${sessionId}::uuid, ${CLIENT}, 'open', now(), 900, ${appealId}, '{"goals":["клістрон"]}', now())`
      yield* sql`insert into session_messages (instance_id, session_id, sequence, id, client_id, role, content, occurred_at)
        select 1, ${sessionId}::uuid, n, gen_random_uuid(), ${CLIENT}, 'client', 'магнетрон магнетрон', now()
        from generate_series(1, 900) n`
      yield* caughtUp
      assert.isNotEmpty((yield* searchMemory(administrator, "клістроен")).readings)
      const hidden = yield* searchMemory(operator, "клістроен")
      assert.deepStrictEqual([hidden.memories, hidden.readings], [[], []])
      const after = yield* searchMemory(operator, "магнетрон", { limit: 1 })
      assert.deepStrictEqual(
        after.memories.map(({ id }) => id),
        before.memories.map(({ id }) => id)
      )
      const latest = yield* memoriesFor(operator, null, { limit: 3 })
      assert.lengthOf(latest, 3)
    }).pipe(Effect.provide(memoryLayer))
  )

  it.effect("client memory never returns entries of another client or instance", () =>
    Effect.gen(function* () {
      yield* caughtUp
      const other = yield* memoriesFor(yield* sessionOf("administrator"), null, { clientId: 502 })
      assert.isFalse(other.some(({ id }) => id === action))
      assert.deepStrictEqual(yield* memoriesFor(yield* sessionOf("other.administrator"), null), [])
    }).pipe(Effect.provide(memoryLayer))
  )
})
