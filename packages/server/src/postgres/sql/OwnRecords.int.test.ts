// Only a caller whose session is alive when the statement runs reads or changes a record (contract §2).
import { assert, layer } from "@effect/vitest"
import { BroadcastSignal } from "@rapport/core/broadcasts/BroadcastSignal.ts"
import { BroadcastStore } from "@rapport/core/broadcasts/BroadcastStore.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { sessionOf } from "../../testing/ContextFixtures.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import * as BroadcastStorePostgres from "../broadcasts/BroadcastStorePostgres.ts"

const stores = BroadcastStorePostgres.layer.pipe(
  Layer.provide([
    Layer.mock(BroadcastSignal, { notify: Effect.void }),
    Layer.mock(DeliverySignal, { notify: Effect.void })
  ]),
  Layer.provideMerge(PostgresFixtures.small)
)

layer(stores, { timeout: "60 seconds" })("records of the instance", (it) => {
  it.effect("a record is neither read nor changed after the session of the caller was revoked", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* BroadcastStore
      const [living, revoked] = [yield* sessionOf("administrator"), yield* sessionOf("administrator")]
      const made = yield* store.createTemplate(living, { name: "Планові роботи", text: "Сьогодні вночі" })
      yield* sql`update refresh_families set revoked_at = now()
        where instance_id = ${revoked.instanceId} and id = ${revoked.sessionId}::uuid`
      const rename = () => Effect.succeed({ ...made, name: "Renamed" })
      assert.isUndefined(yield* store.findTemplate(revoked, made.id))
      assert.isUndefined(yield* store.updateTemplate(revoked, made.id, rename))
      assert.isUndefined(yield* store.removeTemplate(revoked, made.id))
      assert.deepStrictEqual(yield* store.findTemplate(living, made.id), made)
      assert.strictEqual((yield* store.updateTemplate(living, made.id, rename))?.name, "Renamed")
      assert.strictEqual(yield* store.removeTemplate(living, made.id), "removed")
    })
  )
})
