import { assert, layer } from "@effect/vitest"
import { ReadinessStore } from "@rapport/core/readiness/ReadinessStore.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { newWorld } from "../../testing/ProjectionFixtures.ts"
import * as ReadinessStorePostgres from "./ReadinessStorePostgres.ts"

const stores = ReadinessStorePostgres.layer.pipe(Layer.provideMerge(PostgresFixtures.migrated))
const DAY_MILLIS = 86_400_000

// contract §3.4
layer(stores, { excludeTestServices: true, timeout: "60 seconds" })("the readiness of an instance", (it) => {
  it.effect("readiness reports a backlog of months in milliseconds", () =>
    Effect.gen(function* () {
      const { instanceId } = yield* newWorld
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into outbox (instance_id, kind, key, created_at)
        values (${instanceId}, 'evidence', 1, now() - interval '90 days')`
      const found = yield* (yield* ReadinessStore).find(instanceId)
      assert.isAtLeast(found.oldestOutboxEntryMillis, 90 * DAY_MILLIS)
    })
  )
})
