// Concurrent writes of actions and states, and writes of callers without access (contract §4).
import type { StateRequest } from "@rapport/contract/clients/ClientContextApi.ts"
import { CLIENT_NAMESPACES_MAX } from "@rapport/contract/Limits.ts"
import { ClientContext } from "@rapport/core/clients/ClientContext.ts"
import { ClientContextStore } from "@rapport/core/clients/ClientContextStore.ts"
import { Imports } from "@rapport/core/imports/Imports.ts"
import { Pages } from "@rapport/core/lists/Pages.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { freshWorld, type World, writeStores } from "../../testing/WriteWorld.ts"
import { selectedCount } from "../sql/Query.ts"

const order = { type: "order.created", actorType: "client", occurredAt: 1_790_000_000_000 } as const

/** Writes of the first client of a new instance. */
const newWorld = Effect.gen(function* () {
  const world = yield* freshWorld
  const { put, register } = yield* ClientContext
  const [clientId] = world.clientIds
  return {
    ...world,
    register: (key: string, session = world.session) => register(session, clientId, order, key),
    put: (request: StateRequest, namespace = "crm", key: string = randomUUID()) =>
      put(world.session, clientId, namespace, request, key)
  }
})

/** Rows of the instance: receipts, actions, versions, audit entries. */
const countRows = Effect.fnUntraced(function* ({ session: { instanceId } }: World) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.forEach(["receipts", "client_actions", "client_state_history", "audit_log"], (table) =>
    selectedCount(
      sql`select count(*)::float8 as count from ${sql.literal(table)} where instance_id = ${instanceId}`
    )
  )
})

const TestLayer = Layer.mergeAll(ClientContext.layer, Imports.layer).pipe(
  Layer.provide(Pages.layer),
  Layer.provideMerge(writeStores)
)

layer(TestLayer, { excludeTestServices: true, timeout: 60_000 })("concurrent writes", (it) => {
  it.effect("nothing is written for a caller whose permission or session has ended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const world = yield* newWorld
      const { other, register, session } = world
      // A role without the permission, then a session that has ended.
      yield* sql`update users set roles = '{qa_specialist}' where id = ${session.userId}`
      assert.strictEqual((yield* Effect.flip(register("denied"))).code, "ACCESS_DENIED")
      yield* register("allowed", other)
      yield* sql`update users set roles = '{administrator}' where id = ${session.userId}`
      yield* sql`update refresh_families set revoked_at = now() where user_id = ${session.userId}`
      assert.strictEqual((yield* Effect.flip(register("ended"))).code, "ACCESS_DENIED")
      assert.deepStrictEqual(yield* countRows(world), [1, 1, 0, 1])
    })
  )

  it.effect("a client has at most 64 namespaces, also with concurrent writers, and they stay writable", () =>
    Effect.gen(function* () {
      const { put } = yield* newWorld
      for (let n = 1; n < CLIENT_NAMESPACES_MAX; n++) yield* put({ expectedVersion: 0, state: {} }, `n${n}`)
      const racing = yield* Effect.forEach(
        Array.from({ length: 8 }).keys(),
        (n) => Effect.result(put({ expectedVersion: 0, state: {} }, `r${n}`)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(racing.filter(Result.isSuccess).length, 1)
      for (const { failure } of racing.filter(Result.isFailure))
        assert.deepInclude(failure, { code: "INVALID_REQUEST" })
      yield* put({ expectedVersion: 1, state: {} }, "n1")
    })
  )

  it.effect("concurrent merges without an expected version are all kept", () =>
    Effect.gen(function* () {
      const { clientIds, session } = yield* newWorld
      const [imports, store] = [yield* Imports, yield* ClientContextStore]
      const [clientId] = clientIds
      yield* Effect.forEach(
        Array.from({ length: 8 }).keys(),
        (at) => {
          const data = { namespace: "crm", state: { [`m${at}`]: at }, mode: "merge" }
          const item = { kind: "state" as const, clientId, externalId: `${at}`, data }
          return imports.run(session, { source: "s", items: [item] }, `${at}`)
        },
        { concurrency: "unbounded" }
      )
      const found = yield* store.findState({ instanceId: session.instanceId, clientId, namespace: "crm" })
      assert.strictEqual(found?.version, 8)
      assert.lengthOf(Object.keys(found?.state ?? {}), 8)
    })
  )
})
