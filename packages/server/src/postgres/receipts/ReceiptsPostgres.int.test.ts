import { WriteCapacity } from "@rapport/core/capacity/WriteCapacity.ts"
import { Receipts } from "@rapport/core/receipts/Receipts.ts"
import { QuotaExceeded } from "@rapport/contract/Errors.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { freshWorld, writeStores } from "../../testing/WriteWorld.ts"
import { orUnavailable } from "../sql/Query.ts"

const fresh = () => Effect.succeed({ answer: 1, replayed: false })

const capacity = { isExceeded: false }
const capacityLayer = Layer.succeed(WriteCapacity, {
  pass: () =>
    Effect.suspend(() =>
      capacity.isExceeded ? Effect.fail(new QuotaExceeded({ detail: "no room" })) : Effect.void
    )
})

layer(writeStores.pipe(Layer.provide(capacityLayer)), { excludeTestServices: true, timeout: 60_000 })(
  "receipts",
  (it) => {
    it.effect("a key belongs to its instance, principal and operation", () =>
      Effect.gen(function* () {
        const receipts = yield* Receipts
        const { other, session } = yield* freshWorld
        const command = { operation: "law.o", pathIds: [1], content: {} }
        for (const [caller, operation] of [
          [session, "law.o"],
          [other, "law.o"],
          [{ ...session, tokenId: 1 }, "law.o"],
          [(yield* freshWorld).session, "law.o"],
          [session, "law.p"]
        ] as const) {
          const options = { caller, command: { ...command, operation }, key: "k", answer: Schema.Int }
          assert.isFalse((yield* receipts.once(options, fresh)).replayed)
          assert.isTrue((yield* receipts.once(options, fresh)).replayed)
        }
      })
    )

    it.effect("two writes in a deadlock both succeed, with one receipt each", () =>
      Effect.gen(function* () {
        const { clientIds, session } = yield* freshWorld
        const receipts = yield* Receipts
        const sql = yield* SqlClient.SqlClient
        const isLocked = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
        const runs = [0, 0]
        const lock = (id: number) =>
          sql`update clients set version = version + 1 where instance_id = ${session.instanceId} and id = ${id}`.pipe(
            Effect.orDie
          )
        const write = (own: 0 | 1) => {
          const other = own === 0 ? 1 : 0
          const command = { operation: "client.update", pathIds: [own], content: {} }
          const options = { caller: session, command, key: `deadlock-${own}`, answer: Schema.Int }
          return receipts.once(options, () =>
            Effect.gen(function* () {
              runs[own] = (runs[own] ?? 0) + 1
              yield* lock(clientIds[own])
              yield* Deferred.succeed(isLocked[own], undefined)
              yield* Deferred.await(isLocked[other])
              yield* sql`update clients set version = version + 1 where instance_id = ${session.instanceId}
              and id = ${clientIds[other]}`.pipe(orUnavailable)
              return { answer: own, replayed: false }
            })
          )
        }
        const done = yield* Effect.all([write(0), write(1)], { concurrency: 2 })
        assert.deepStrictEqual(
          done.map(({ answer }) => answer),
          [0, 1]
        )
        assert.deepStrictEqual(runs.toSorted(), [1, 2], "one of the two was retried")
        const versions = yield* sql`select version from clients where instance_id = ${session.instanceId}`
        assert.deepStrictEqual(
          versions.map((row) => Number(Reflect.get(row, "version"))),
          [3, 3],
          "the rolled back write left nothing"
        )
        assert.deepStrictEqual(yield* Effect.all([write(0), write(1)]), [
          { answer: 0, replayed: true },
          { answer: 1, replayed: true }
        ])
      })
    )

    it.effect("a write is done again when its receipt is swept during a repeat", () =>
      Effect.gen(function* () {
        const { session } = yield* freshWorld
        const receipts = yield* Receipts
        const sql = yield* SqlClient.SqlClient
        const options = {
          caller: session,
          command: { operation: "law.o", pathIds: [1], content: {} },
          key: "swept",
          answer: Schema.Int
        }
        yield* receipts.once(options, fresh)
        yield* sql`update receipts set committed_at = '2020-01-01' where instance_id = ${session.instanceId}`
        // The sweep, right after the insertion that found the key taken.
        yield* sql`create function sweep_now() returns trigger language plpgsql as
        $$ begin delete from receipts where key = 'swept' and committed_at < '2021-01-01'; return null; end $$`
        yield* sql`create trigger sweep_now after insert on receipts for each statement execute function sweep_now()`
        const second = receipts.once(options, () => Effect.succeed({ answer: 2, replayed: false }))
        const done = yield* Effect.ensuring(second, Effect.orDie(sql`drop function sweep_now() cascade`))
        assert.deepStrictEqual(done, { answer: 2, replayed: false })
        assert.deepStrictEqual(yield* receipts.once(options, fresh), { answer: 2, replayed: true })
      })
    )

    it.effect("above a quota committed writes are still replayed, and nothing new begins", () =>
      Effect.gen(function* () {
        const { session } = yield* freshWorld
        const receipts = yield* Receipts
        const command = { operation: "client.state.put", pathIds: [1, "crm"], content: { state: {} } }
        const options = { caller: session, command, key: "known", answer: Schema.Int }
        yield* receipts.once(options, fresh)
        capacity.isExceeded = true
        assert.deepStrictEqual(yield* receipts.once(options, fresh), { answer: 1, replayed: true })
        for (const key of ["another", null]) {
          const once = yield* Effect.flip(receipts.once({ ...options, key }, fresh))
          const { refusal } = yield* receipts.prepare({ ...options, key })
          assert.deepStrictEqual([once._tag, refusal?._tag], ["QuotaExceeded", "QuotaExceeded"], String(key))
        }
      }).pipe(Effect.ensuring(Effect.sync(() => (capacity.isExceeded = false))))
    )
  }
)
