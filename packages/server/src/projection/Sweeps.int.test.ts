// What is deleted after its time. Contract §1.3: a receipt is kept at least 7 days; the same goes for a batch, which is the
// receipt of an import.
import { assert, layer } from "@effect/vitest"
import { Access } from "@rapport/core/access/Access.ts"
import { contextWrites } from "@rapport/core/receipts/Receipts.ts"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { SESSION_SWEEP_ROWS_MAX } from "../postgres/access/RefreshTokens.ts"
import * as ImportStorePostgres from "../postgres/imports/ImportStorePostgres.ts"
import { AccessFixtures } from "../testing/AccessFixtures.ts"
import {
  IMPORT_SWEEP_ROWS_MAX,
  RECEIPT_SWEEP_MILLIS,
  RECEIPT_SWEEP_ROWS_MAX,
  receiptSweepsOf as sweepsOf,
  SESSION_SWEEP_MILLIS,
  sessionSweep
} from "./Sweeps.ts"
import { startSweeps } from "./Sweep.ts"

/** As the process that holds the lease sweeps. */
const sweepLayer = (days: number) =>
  Layer.fresh(
    Layer.effectDiscard(Effect.flatMap(sweepsOf(days), startSweeps)).pipe(
      Layer.provide(ImportStorePostgres.layer)
    )
  )

layer(AccessFixtures.layer)("the sweeps", (it) => {
  it.effect("the sweep of sessions deletes ended sessions and old used tokens in rounds, repeatedly", () =>
    Effect.gen(function* () {
      const { pair, session } = yield* AccessFixtures.enter("operator")
      const sql = yield* SqlClient.SqlClient
      const addEnded = (
        count: number
      ) => sql`insert into refresh_families (instance_id, id, user_id, current_hash, expires_at)
        select ${session.instanceId}, gen_random_uuid(), ${session.userId}, '', now() - interval '31 days'
        from generate_series(1, ${count}::int4)`
      const left = sql`select id from refresh_families`
      // A used refresh token is known until it would have expired.
      const { refresh } = yield* Access
      const next = yield* refresh({ refreshToken: pair.refreshToken })
      yield* sql`update refresh_spent set spent_at = now() - interval '31 days'`
      yield* refresh({ refreshToken: next.refreshToken })
      const untilOne = { until: (rows: ReadonlyArray<unknown>) => rows.length === 1 }
      yield* addEnded(2 * SESSION_SWEEP_ROWS_MAX + 5)
      yield* Effect.gen(function* () {
        yield* Effect.repeat(left, untilOne)
        yield* addEnded(5)
        // Time passes between two checks: the first round may still end.
        const later = Effect.andThen(TestClock.adjust(SESSION_SWEEP_MILLIS), left)
        const [kept] = yield* Effect.repeat(later, untilOne)
        assert.strictEqual(kept?.["id"], session.sessionId)
        assert.lengthOf(yield* sql`select 1 from refresh_spent`, 1, "the younger token is still known")
      }).pipe(Effect.provide(Layer.effectDiscard(startSweeps([yield* sessionSweep]))))
    })
  )

  it.effect("the sweep of receipts deletes those older than seven days in rounds", () =>
    Effect.gen(function* () {
      const { session } = yield* AccessFixtures.enter("operator")
      const sql = yield* SqlClient.SqlClient
      const receipts = (count: number, key: string, age: string) =>
        sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, answer, committed_at)
          select ${session.instanceId}, 'user/1', 'o', ${key} || i, gen_random_uuid(), 'f', '{}', now() - ${age}::text::interval
          from generate_series(1, ${count}::int4) i`
      const left = sql`select key from receipts where operation = 'o' order by key`
      const untilTwo = { until: (rows: ReadonlyArray<unknown>) => rows.length === 2 }
      yield* receipts(2, "young", "6 days 23 hours")
      yield* receipts(2 * RECEIPT_SWEEP_ROWS_MAX + 5, "old", "7 days 1 minute")
      yield* Effect.gen(function* () {
        yield* Effect.repeat(left, untilTwo)
        yield* receipts(3, "again", "8 days")
        // Time passes between two checks: the first round may still end.
        const later = Effect.andThen(TestClock.adjust(RECEIPT_SWEEP_MILLIS), left)
        assert.deepStrictEqual(yield* Effect.repeat(later, untilTwo), [{ key: "young1" }, { key: "young2" }])
      }).pipe(Effect.provide(sweepLayer(0)))
    })
  )

  it.effect("the sweep of receipts keeps those of context writes for RAPPORT_RECEIPT_DAYS", () =>
    Effect.gen(function* () {
      const { session } = yield* AccessFixtures.enter("operator")
      const sql = yield* SqlClient.SqlClient
      const { instanceId } = session
      const add = (operation: string, key: string, age: string) =>
        sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, answer, committed_at)
          values (${instanceId}, 'user/2', ${operation}, ${key}, gen_random_uuid(), 'f', '{}', now() - ${age}::text::interval)`
      for (const operation of contextWrites) {
        yield* add(operation, "old", "29 days")
        yield* add(operation, "older", "31 days")
      }
      const keys = sql`select distinct key from receipts where instance_id = ${instanceId} and principal = 'user/2'
        order by key`
      const swept = (days: number, length: number) =>
        Effect.gen(function* () {
          yield* add("other", "gone", "8 days")
          return yield* Effect.repeat(keys, { until: (rows) => rows.length === length }).pipe(
            Effect.provide(sweepLayer(days))
          )
        })
      assert.deepStrictEqual(yield* swept(0, 2), [{ key: "old" }, { key: "older" }])
      assert.deepStrictEqual(yield* swept(30, 1), [{ key: "old" }])
    })
  )

  it.effect("the sweep of receipts deletes import batches and items untouched for seven days", () =>
    Effect.gen(function* () {
      const { session } = yield* AccessFixtures.enter("operator")
      const sql = yield* SqlClient.SqlClient
      const { instanceId } = session
      const batches = (count: number, key: string, status: string, worked: string) =>
        sql`with made as (
            insert into import_batches (instance_id, id, principal, key, fingerprint, status, total, created_at, leased_until)
            select ${instanceId}, gen_random_uuid(), 'user/1', ${key} || i, 'f', ${status}, 2, now() - interval '9 days',
              now() - ${worked}::text::interval from generate_series(1, ${count}::int4) i returning id)
          insert into import_items (instance_id, batch_id, index, status)
            select ${instanceId}, id, 0, 'succeeded' from made`
      yield* batches(IMPORT_SWEEP_ROWS_MAX + 5, "ended", "completed", "8 days")
      yield* batches(1, "failed", "completed_with_errors", "8 days")
      yield* batches(1, "abandoned", "running", "8 days")
      yield* batches(1, "resumed", "running", "6 days")
      yield* batches(1, "late", "completed", "6 days")
      yield* Effect.gen(function* () {
        const left = yield* Effect.repeat(
          sql`select key from import_batches where instance_id = ${instanceId} order by key`,
          { until: (rows) => rows.length === 2 }
        )
        assert.deepStrictEqual(left, [{ key: "late1" }, { key: "resumed1" }])
        const items =
          yield* sql`select count(*)::int4 as n from import_items where instance_id = ${instanceId}`
        assert.deepStrictEqual(items, [{ n: 2 }])
      }).pipe(Effect.provide(sweepLayer(7)))
    })
  )
})
