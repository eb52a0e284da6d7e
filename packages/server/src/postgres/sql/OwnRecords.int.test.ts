// Only a caller whose session is active when the statement runs reads or changes a record (contract §2).
import { assert, layer } from "@effect/vitest"
import { BroadcastSignal } from "@rapport/core/broadcasts/BroadcastSignal.ts"
import { BroadcastStore } from "@rapport/core/broadcasts/BroadcastStore.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { DirectoryStore } from "@rapport/core/directory/DirectoryStore.ts"
import { AuditEntryStore } from "@rapport/core/audit/AuditEntries.ts"
import { recordsOf } from "@rapport/core/lists/ListRequest.ts"
import { SlaStore } from "@rapport/core/statistics/SlaStore.ts"
import { UserStore } from "@rapport/core/users/UserStore.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { sessionOf } from "../../testing/ContextFixtures.ts"
import { listRequest } from "../../testing/ListRequests.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import * as AuditEntryStorePostgres from "../audit/AuditEntryStorePostgres.ts"
import * as BroadcastStorePostgres from "../broadcasts/BroadcastStorePostgres.ts"
import * as DirectoryStorePostgres from "../directory/DirectoryStorePostgres.ts"
import * as SlaStorePostgres from "../statistics/SlaStorePostgres.ts"
import * as UserStorePostgres from "../users/UserStorePostgres.ts"

const stores = Layer.mergeAll(
  AuditEntryStorePostgres.layer,
  BroadcastStorePostgres.layer,
  DirectoryStorePostgres.layer,
  SlaStorePostgres.layer,
  UserStorePostgres.layer
).pipe(
  Layer.provide([
    Layer.mock(BroadcastSignal, { notify: Effect.void }),
    Layer.mock(DeliverySignal, { notify: Effect.void })
  ]),
  Layer.provideMerge(PostgresFixtures.small)
)

/** Two sessions of the administrator, the second one revoked. */
const sessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [living, revoked] = [yield* sessionOf("administrator"), yield* sessionOf("administrator")]
  yield* sql`update refresh_families set revoked_at = now()
    where instance_id = ${revoked.instanceId} and id = ${revoked.sessionId}::uuid`
  return { living, revoked }
})

layer(stores, { timeout: "60 seconds" })("records of the instance", (it) => {
  it.effect("a record is neither read nor changed after the session of the caller was revoked", () =>
    Effect.gen(function* () {
      const { living, revoked } = yield* sessions
      const store = yield* BroadcastStore
      const made = yield* store.templates.create(living, { name: "Планові роботи", text: "Сьогодні вночі" })
      const rename = () => Effect.succeed({ ...made, name: "Renamed" })
      assert.isUndefined(yield* store.templates.find(revoked, made.id))
      assert.isUndefined(yield* store.templates.update(revoked, made.id, rename))
      assert.isUndefined(yield* store.templates.remove(revoked, made.id))
      assert.deepStrictEqual(yield* store.templates.find(living, made.id), made)
      assert.strictEqual((yield* store.templates.update(living, made.id, rename))?.name, "Renamed")
      assert.strictEqual(yield* store.templates.remove(living, made.id), "removed")
    })
  )

  it.effect("users, targets and the audit log are not read after the session of the caller was revoked", () =>
    Effect.gen(function* () {
      const { living, revoked } = yield* sessions
      const [entries, targets, users] = [yield* AuditEntryStore, yield* SlaStore, yield* UserStore]
      const { id: subjectId } = yield* (yield* DirectoryStore).subjects.create(living, {
        name: "Тарифи",
        alias: "revoked-session",
        parentId: null,
        reopenHours: 0,
        active: true
      })
      for (const [session, isSeen] of [
        [living, true],
        [revoked, false]
      ] as const) {
        assert.strictEqual((yield* users.find(session, living.userId)) !== undefined, isSeen)
        assert.strictEqual((yield* targets.findTarget(session, subjectId)) !== undefined, isSeen)
        assert.strictEqual(
          recordsOf(yield* users.list(session, listRequest({ fields: ["id"] }))).length > 0,
          isSeen
        )
        assert.strictEqual(
          recordsOf(yield* entries.list(session, listRequest({ fields: ["id"] }))).length > 0,
          isSeen
        )
      }
    })
  )
})
