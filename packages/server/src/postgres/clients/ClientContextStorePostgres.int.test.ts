// Concurrent writes of actions and states, and writes of callers without access (contract §4).
import { ClientContextStore } from "@rapport/core/clients/ClientContextStore.ts"
import { CLIENT_NAMESPACES_MAX } from "@rapport/contract/Limits.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { actionWrite, putState, stateWrite, writeOne } from "../../testing/ClientWriteFixtures.ts"
import { openTransaction, untilWaiting } from "../../testing/LockWaits.ts"
import { freshWorld, type World, writeStores } from "../../testing/WriteWorld.ts"
import { selectedCount } from "../sql/Query.ts"

const register = (
  world: World,
  ...args: Parameters<typeof actionWrite> extends [World, ...infer Rest] ? Rest : never
) =>
  Effect.flatMap(actionWrite(world, ...args), (write) =>
    Effect.map(writeOne(world, write), ({ _tag }) => _tag)
  )

/** Rows of the instance: receipts, actions, versions, audit entries. */
const countRows = Effect.fnUntraced(function* ({ session: { instanceId } }: World) {
  const sql = yield* SqlClient.SqlClient
  const count = (table: string) =>
    selectedCount(
      sql`select count(*)::float8 as count from ${sql.literal(table)} where instance_id = ${instanceId}`
    )
  return yield* Effect.all([
    count("receipts"),
    count("client_actions"),
    count("client_state_history"),
    count("audit_log")
  ])
})

const receiptRow = Effect.fnUntraced(function* (
  { session: { instanceId, userId } }: World,
  operation: string,
  fingerprint: string
) {
  const sql = yield* SqlClient.SqlClient
  return sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at, answer)
    values (${instanceId}, ${`user/${userId}`}, ${operation}, 'same', gen_random_uuid(), ${fingerprint}, now(), '{}')`
})

layer(writeStores, { excludeTestServices: true, timeout: 60_000 })("concurrent writes", (it) => {
  it.effect("a repeat that waited for the first write gets its answer", () =>
    Effect.gen(function* () {
      const world = yield* freshWorld
      const end = yield* openTransaction(yield* receiptRow(world, "client.action.register", "sha256:f"))
      const again = yield* Effect.forkChild(register(world, {}, { key: "same" }), { startImmediately: true })
      yield* untilWaiting
      assert.strictEqual(yield* register(world, {}, { key: "other" }), "Done")
      yield* end
      assert.strictEqual(yield* Fiber.join(again), "Replayed")
      assert.deepStrictEqual(yield* countRows(world), [2, 1, 0, 1])
    })
  )

  it.effect("a repeat that waited for its own version is a replay, not a conflict", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const world = yield* freshWorld
      const { instanceId } = world.session
      yield* putState(world, { expected: 0, state: {} })
      const end = yield* openTransaction(
        Effect.andThen(
          sql`update client_state set version = 2 where instance_id = ${instanceId}`,
          yield* receiptRow(world, "client.state.put", "sha256:f")
        )
      )
      const put = (key: string) =>
        Effect.flatMap(stateWrite(world, { expected: 1, state: { a: 1 }, key }), (write) =>
          writeOne(world, write)
        )
      const again = yield* Effect.forkChild(put("same"), { startImmediately: true })
      yield* untilWaiting
      yield* end
      assert.deepInclude(yield* Fiber.join(again), { _tag: "Replayed" })
      assert.deepStrictEqual(yield* put("other"), { _tag: "VersionConflict", currentVersion: 2 })
    })
  )

  it.effect("nothing is written for a caller without permission or a record of others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const world = yield* freshWorld
      const store = yield* ClientContextStore
      const { userId } = world.session
      const [appeal] = yield* Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.Int })))(
        yield* sql`insert into appeals (instance_id, kind, client_id, status, status_group)
          values (${world.session.instanceId}, 'chat', ${world.clientIds[1]}, 'active', 'open') returning id::float8 as id`
      )
      const rows = yield* Effect.all([
        actionWrite(world, { appealId: appeal?.id ?? 0 }, { key: "appeal of the other client" }),
        actionWrite(world, { subjectId: 987_654_321 }, { key: "no subject" }),
        actionWrite(world, { clientId: 987_654_321 }, { key: "unknown" })
      ])
      assert.deepStrictEqual(yield* store.write(world.session, "context.write", rows), [
        { _tag: "UnknownReferences", appeal: false, subject: true },
        { _tag: "UnknownReferences", appeal: true, subject: false },
        { _tag: "NotFound" }
      ])
      // A role without the permission, then a session that has ended.
      yield* sql`update users set roles = '{qa_specialist}' where id = ${userId}`
      assert.strictEqual(yield* register(world, {}, { key: "denied" }), "Forbidden")
      assert.strictEqual(yield* register({ ...world, session: world.other }, {}), "Done")
      yield* sql`update users set roles = '{administrator}' where id = ${userId}`
      yield* sql`update refresh_families set revoked_at = now() where user_id = ${userId}`
      assert.strictEqual(yield* register(world, {}, { key: "ended" }), "Forbidden")
      assert.deepStrictEqual(yield* countRows(world), [0, 1, 0, 1])
    })
  )

  it.effect("a client has at most 64 namespaces, also with concurrent writers, and they stay writable", () =>
    Effect.gen(function* () {
      const world = yield* freshWorld
      const put = (namespace: string, expected: number | null = null) =>
        Effect.result(putState(world, { expected, state: {}, namespace }))
      for (let n = 1; n < CLIENT_NAMESPACES_MAX; n++) assert.isTrue(Result.isSuccess(yield* put(`n${n}`)))
      const racing = yield* Effect.all(
        Array.from({ length: 8 }, (_, n) => put(`r${n}`)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(racing.filter(Result.isSuccess).length, 1)
      for (const refused of racing.filter(Result.isFailure))
        assert.deepInclude(refused.failure, { _tag: "NamespacesFull" })
      assert.isTrue(Result.isSuccess(yield* put("n1", 1)))
    })
  )

  it.effect("concurrent merges are all kept", () =>
    Effect.gen(function* () {
      const world = yield* freshWorld
      const merge = (at: number) =>
        putState(world, { expected: null, state: { [`m${at}`]: at }, mode: "merge" })
      const merged = yield* Effect.forEach(Array.from({ length: 8 }).keys(), merge, {
        concurrency: "unbounded"
      })
      const last = merged.find(({ version }) => version === 8)
      assert.lengthOf(Object.keys(last?.state ?? {}), 8)
    })
  )
})
