// The laws of every store of actions and state, and what writing actions of several requests together adds to them.
import type { ActionRegistered } from "@rapport/contract/clients/ClientContextApi.ts"
import { ClientContextStore } from "@rapport/core/clients/ClientContextStore.ts"
import { clientContextStoreLaws } from "@rapport/core/testing/ClientContextStoreLaws.ts"
import { type World, WriteWorld } from "@rapport/core/testing/WriteWorld.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schedule, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { writeStoresPostgres } from "../../testing/WriteWorldFixtures.ts"
import { selectedCount } from "../sql/Query.ts"

clientContextStoreLaws("PostgreSQL", writeStoresPostgres)

const fingerprint = "sha256:f"
const operation = "client.action.register"
const committedAt = 1_790_000_000_400

/** Registers an action under the key; whether it went in, and whether the caller may write. */
const register = Effect.fnUntraced(function* (
  { clientIds, session }: World,
  key: string,
  more: Partial<ActionRegistered["action"]> = {}
) {
  const random = yield* SecureRandom.SecureRandom
  const store = yield* ClientContextStore
  const receipt = { id: yield* random.uuidV7(), operation, fingerprint, committedAt }
  const answer: ActionRegistered = {
    receipt,
    action: {
      id: yield* random.uuidV7(),
      clientId: clientIds[0],
      type: "order.created",
      occurredAt: 1_790_000_000_000,
      actorType: "client",
      actorId: null,
      externalEventId: null,
      source: null,
      channel: "web",
      subjectId: null,
      appealId: null,
      summary: `Замовлення "${key}"`,
      payload: { key, nested: { none: null }, sum: 1.5 },
      recordedAt: committedAt,
      ...more
    }
  }
  const writer = { session, operation, receiptId: receipt.id }
  return yield* store.registerAtOnce(writer, answer, { ...receipt, caller: session, key })
})

const put = Effect.fnUntraced(function* (
  { clientIds, session }: World,
  expected: number | null,
  key: string,
  state = {},
  clientId = clientIds[0]
) {
  const random = yield* SecureRandom.SecureRandom
  const store = yield* ClientContextStore
  const receipt = { id: yield* random.uuidV7(), operation: "client.state.put", fingerprint, committedAt }
  const target = { instanceId: session.instanceId, clientId, namespace: "кошик" }
  const writer = { session, operation: receipt.operation, receiptId: receipt.id }
  return yield* store.writeAtOnce(writer, target, expected, state, { ...receipt, caller: session, key })
})

const undecided = { isAllowed: true, state: null, conflict: null }

const firstState = Effect.fnUntraced(function* (clientId: number, instanceId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into client_state (instance_id, client_id, namespace, id, version, state, updated_at)
    values (${instanceId}, ${clientId}, 'кошик', gen_random_uuid(), 1, '{}', now())`
})

const keptRows = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      summary: Schema.String,
      payload: Schema.Unknown,
      answer: Schema.Unknown,
      details: Schema.Unknown
    })
  )
)

layer(writeStoresPostgres, { excludeTestServices: true, timeout: 60_000 })("at once", (it) => {
  it.effect("many at once go in, one of each key, each with its receipt and its entry", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const worlds = [yield* (yield* WriteWorld).fresh, yield* (yield* WriteWorld).fresh]
      for (const world of worlds) {
        const keys = Array.from({ length: 100 }, (_, at) => `k-${at % 80}`)
        const made = yield* Effect.forEach(keys, (key) => register(world, key), { concurrency: "unbounded" })
        assert.strictEqual(made.filter(({ written }) => written).length, 80)
        const { instanceId } = world.session
        const rows = yield* keptRows(
          yield* sql`select action.summary, action.payload, receipt.answer, entry.details from client_actions action
            join receipts receipt on receipt.instance_id = action.instance_id
              and receipt.answer->'action'->>'id' = action.id::text
            join audit_log entry on entry.instance_id = action.instance_id
              and entry.details->>'actionId' = action.id::text and entry.details->>'receiptId' = receipt.id::text
            where action.instance_id = ${instanceId}`
        )
        assert.strictEqual(new Set(rows.map(({ summary }) => summary)).size, 80)
        const [first] = rows.filter(({ summary }) => summary === 'Замовлення "k-7"')
        assert.deepEqual(first?.payload, { key: "k-7", nested: { none: null }, sum: 1.5 })
      }
    })
  )

  it.effect("one that is refused, or that waits for its key, is no concern of the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const world = yield* (yield* WriteWorld).fresh
      const { instanceId, userId } = world.session
      const [held, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* Effect.forkChild(
        sql.withTransaction(
          sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at)
            values (${instanceId}, ${`user/${userId}`}, ${operation}, 'held', gen_random_uuid(), 'f', now())`.pipe(
            Effect.andThen(Deferred.succeed(held, undefined)),
            Effect.andThen(Deferred.await(free))
          )
        )
      )
      yield* Deferred.await(held)
      const waiting = yield* Effect.forkChild(Effect.exit(register(world, "held")), {
        startImmediately: true
      })
      const refused = yield* Effect.forkChild(
        Effect.exit(register(world, "unwritable", { summary: "NUL \0" })),
        {
          startImmediately: true
        }
      )
      const others = yield* Effect.forEach(
        Array.from({ length: 40 }).keys(),
        (at) => register(world, `o-${at}`),
        {
          concurrency: "unbounded"
        }
      )
      assert.strictEqual(others.filter(({ written }) => written).length, 40)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(refused)))
      // They were answered while the key is held; who waits for it finds it taken, or has waited for long enough.
      yield* Deferred.succeed(free, undefined)
      yield* Fiber.join(holder)
      assert.notDeepEqual(yield* Fiber.join(waiting), Exit.succeed({ isAllowed: true, written: true }))
      assert.strictEqual(
        yield* selectedCount(
          sql`select count(*)::float8 as count from client_actions where instance_id = ${instanceId}`
        ),
        40
      )
    })
  )

  it.effect(
    "one of many writers of a version wins, the others get its number, and a taken key writes nothing",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const world = yield* (yield* WriteWorld).fresh
        const { instanceId } = world.session
        assert.deepEqual(yield* put(world, 0, "first"), undecided)
        yield* firstState(world.clientIds[0], instanceId)
        const tried = yield* Effect.forEach(
          Array.from({ length: 32 }).keys(),
          (at) => put(world, 1, `k-${at}`, { at, text: "два" }),
          { concurrency: "unbounded" }
        )
        const won = tried.flatMap(({ state }, at) => (state === null ? [] : [{ at, state }]))
        assert.strictEqual(won.length, 1)
        const lost = tried.filter(({ state }) => state === null)
        for (const one of lost) assert.deepEqual(one, { isAllowed: true, state: null, conflict: 2 })
        const [first] = won
        const state = { at: first?.at, text: "два" }
        assert.deepStrictEqual(first?.state, {
          clientId: world.clientIds[0],
          namespace: "кошик",
          version: 2,
          state: { at: first?.at, text: "два" },
          updatedAt: committedAt
        })
        // Its own key again, and with another version: both are for a transaction to judge.
        assert.deepEqual(yield* put(world, 1, `k-${first?.at}`), undecided)
        assert.deepEqual(yield* put(world, 2, `k-${first?.at}`), undecided)
        const kept = yield* sql`select held.version::int4 as version, held.state, history.state as kept,
          (select json_agg(receipt.answer->'state'->'version') from receipts receipt
            where receipt.instance_id = held.instance_id) as answers,
          (select json_agg(entry.details->'version') from audit_log entry
            where entry.instance_id = held.instance_id) as entries
        from client_state held join client_state_history history on history.instance_id = held.instance_id
          and history.version = held.version where held.instance_id = ${instanceId}`
        assert.deepEqual(kept, [{ version: 2, state, kept: state, answers: [2], entries: [2] }])
      })
  )

  it.effect("one that waited for a writer of another process is no loser: it may be a repeat of it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const world = yield* (yield* WriteWorld).fresh
      const { instanceId, userId } = world.session
      yield* firstState(world.clientIds[0], instanceId)
      const [held, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`update client_state set version = 2 where instance_id = ${instanceId}`
            yield* sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at)
              values (${instanceId}, ${`user/${userId}`}, 'client.state.put', 'same', gen_random_uuid(), ${fingerprint}, now())`
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(free)
          })
        )
      )
      yield* Deferred.await(held)
      const again = yield* Effect.forkChild(put(world, 1, "same"), { startImmediately: true })
      const waits = selectedCount(
        sql`select count(*)::float8 as count from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`
      )
      yield* Effect.repeat(waits, { until: (count) => count > 0, schedule: Schedule.spaced("5 millis") })
      yield* Deferred.succeed(free, undefined)
      yield* Fiber.join(first)
      assert.deepEqual(yield* Fiber.join(again), undecided)
      // Once that is committed, another key has lost.
      assert.deepEqual(yield* put(world, 1, "other"), { isAllowed: true, state: null, conflict: 2 })
    })
  )

  it.effect("equal keys at once write one version, whatever version they expect", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const world = yield* (yield* WriteWorld).fresh
      const { instanceId } = world.session
      for (const id of world.clientIds) yield* firstState(id, instanceId)
      const tried = yield* Effect.forEach(
        Array.from({ length: 40 }).keys(),
        (at) => put(world, at % 4 === 0 ? null : 1, `k-${at % 20}`, { at }, world.clientIds[at % 2]),
        { concurrency: "unbounded" }
      )
      const won = tried.filter(({ state }) => state !== null)
      assert.isAtLeast(won.length, 2)
      // Who expects no version has never lost to one.
      for (const [at, { conflict }] of tried.entries()) if (at % 4 === 0) assert.isNull(conflict)
      const counts =
        yield* sql`select (select count(*)::int4 from receipts where instance_id = ${instanceId}) as receipts,
        (select count(*)::int4 from client_state_history where instance_id = ${instanceId}) as versions,
        (select count(*)::int4 from audit_log where instance_id = ${instanceId}) as entries,
        (select sum(version)::int4 - 2 from client_state where instance_id = ${instanceId}) as steps`
      assert.deepEqual(counts, [
        { receipts: won.length, versions: won.length, entries: won.length, steps: won.length }
      ])
    })
  )

  it.effect("nothing is written for who may not write, nor of a record that is not theirs to use", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const world = yield* (yield* WriteWorld).fresh
      const foreign = yield* (yield* WriteWorld).fresh
      const { instanceId, userId } = world.session
      yield* firstState(world.clientIds[0], instanceId)
      const nothing = { isAllowed: true, written: false }
      const stranger = { ...world, clientIds: foreign.clientIds }
      const [appeal] = yield* Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.Int })))(
        yield* sql`insert into appeals (instance_id, kind, client_id, status, status_group)
          values (${instanceId}, 'chat', ${world.clientIds[1]}, 'active', 'open') returning id::float8 as id`
      )
      const refused = yield* Effect.all(
        [
          register(world, "of the other client", { appealId: appeal?.id ?? 0 }),
          register(world, "no subject", { subjectId: 987_654_321 }),
          register(stranger, "foreign"),
          register(world, "unknown", { clientId: 987_654_321 })
        ],
        { concurrency: "unbounded" }
      )
      assert.deepEqual(refused, [nothing, nothing, nothing, nothing])
      assert.deepEqual(yield* put(stranger, 1, "foreign state"), undecided)
      // A role without the permission, beside one that has it; then a session that has ended.
      yield* sql`update users set roles = '{qa_specialist}' where id = ${userId}`
      const mixed = yield* Effect.all(
        [register(world, "denied"), register({ ...world, session: world.other }, "allowed")],
        { concurrency: "unbounded" }
      )
      assert.deepEqual(mixed, [
        { isAllowed: false, written: false },
        { isAllowed: true, written: true }
      ])
      yield* sql`update users set roles = '{administrator}' where id = ${userId}`
      yield* sql`update refresh_families set revoked_at = now() where user_id = ${userId}`
      assert.deepEqual(yield* register(world, "ended"), { isAllowed: false, written: false })
      assert.deepEqual(yield* put(world, 1, "ended"), { ...undecided, isAllowed: false })
      assert.strictEqual(
        yield* selectedCount(
          sql`select count(*)::float8 as count from receipts where instance_id in (${instanceId}, ${foreign.session.instanceId})`
        ),
        1
      )
    })
  )
})
