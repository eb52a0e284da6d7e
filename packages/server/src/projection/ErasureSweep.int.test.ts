// Erasures of clients run in parallel: a failed erasure is retried with backoff and delays no other, and a metric reports how
// long the oldest has waited.
import { ClientDataStore } from "@rapport/core/clients/ClientDataStore.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { layerOf } from "../postgres/clients/ClientDataStorePostgres.ts"
import { temporaryFileStorage } from "../testing/FileFixtures.ts"
import { PostgresFixtures } from "../testing/PostgresFixtures.ts"
import { eventually, newWorld } from "../testing/ProjectionFixtures.ts"
import * as ErasureSweep from "./ErasureSweep.ts"

const actor = { actorType: "user", actorId: 1 } as const
const oldestSeconds = Effect.map(Metric.snapshot, (series) => {
  const found = series.find(({ id }) => id === "rapport.erasure.oldest_seconds")
  return found?.type === "Gauge" ? Number(found.state.value) : undefined
})

layer(layerOf(0).pipe(Layer.provideMerge([PostgresFixtures.migrated, temporaryFileStorage])), {
  excludeTestServices: true,
  timeout: 60_000
})("the sweep of erasures", (it) => {
  it.effect("the sweep of erasures continues after a failure and retries the failed one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* ClientDataStore
      const worlds = [yield* newWorld, yield* newWorld, yield* newWorld] as const
      for (const { clientId, instanceId } of worlds)
        yield* sql`insert into client_actions (instance_id, id, client_id, type, actor_type, occurred_at)
          values (${instanceId}, gen_random_uuid(), ${clientId}, 'x', 'client', now())`
      const [oldest] = worlds
      // What a sequence gave out stays given out where the statement is undone.
      yield* sql`create sequence tries`
      yield* sql.unsafe(`create function refuse() returns trigger language plpgsql as
        $$ begin perform nextval('tries'); raise exception 'for ever'; end $$`)
      yield* sql.unsafe(`create trigger refuse before delete on client_actions for each row
        when (old.client_id = ${oldest.clientId}) execute function refuse()`)
      for (const { clientId, instanceId } of worlds) yield* store.beginErasure(instanceId, clientId, actor)
      yield* sql`update client_erasures set requested_at = requested_at - interval '2 hours'
        where client_id = ${oldest.clientId}`
      const unfinished = sql`select client_id::int4 as id from client_erasures where finished_at is null`
      const began = yield* Clock.currentTimeMillis
      yield* Effect.gen(function* () {
        const left = yield* eventually(unfinished, (rows) => rows.length <= 1)
        assert.deepStrictEqual(left, [{ id: oldest.clientId }])
        const age = yield* eventually(oldestSeconds, (seconds) => seconds !== undefined)
        assert.isAbove(age ?? 0, 7_199)
        // Each pause is twice as long as the one before, the first a second.
        const [tried] = yield* eventually(
          sql`select last_value::int4 as times from tries`,
          ([row]) => Number(row?.["times"]) >= 3
        )
        const seconds = ((yield* Clock.currentTimeMillis) - began) / 1_000
        assert.isAtMost(2 ** (Number(tried?.["times"]) - 1) - 1, seconds)
        yield* sql`drop trigger refuse on client_actions`
        yield* eventually(unfinished, (rows) => rows.length === 0)
        yield* eventually(oldestSeconds, (seconds) => seconds === 0)
      }).pipe(Effect.provide(Layer.fresh(ErasureSweep.layer)))
    })
  )
})
