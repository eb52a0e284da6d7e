import { WriteGate } from "@rapport/core/capacity/WriteGate.ts"
import { Receipts } from "@rapport/core/receipts/Receipts.ts"
import { receiptsLaws } from "@rapport/core/testing/ReceiptsLaws.ts"
import { WriteWorld } from "@rapport/core/testing/WriteWorld.ts"
import { QuotaExceeded } from "@rapport/contract/Errors.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { writeStoresPostgres } from "../../testing/WriteWorldFixtures.ts"

receiptsLaws("PostgreSQL", writeStoresPostgres)

const fresh = () => Effect.succeed({ answer: 1, replayed: false })

const capacity = { isExceeded: false }
const gateLayer = Layer.succeed(WriteGate, {
  pass: () =>
    Effect.suspend(() =>
      capacity.isExceeded ? Effect.fail(new QuotaExceeded({ detail: "no room" })) : Effect.void
    )
})

layer(writeStoresPostgres.pipe(Layer.provide(gateLayer)), { excludeTestServices: true, timeout: 60_000 })(
  "above a quota",
  (it) => {
    it.effect(
      "what was committed is still replayed, also what is written at once; nothing new is begun",
      () =>
        Effect.gen(function* () {
          const { session } = yield* (yield* WriteWorld).fresh
          const receipts = yield* Receipts
          const command = { operation: "client.state.put", pathIds: [1, "crm"], content: { state: {} } }
          const options = { caller: session, command, key: "known", answer: Schema.Int }
          yield* receipts.once(options, fresh)
          capacity.isExceeded = true
          assert.deepStrictEqual(yield* receipts.once(options, fresh), { answer: 1, replayed: true })
          assert.strictEqual((yield* receipts.claim(options))?.key, "known")
          for (const key of ["another", null]) {
            const once = yield* Effect.flip(receipts.once({ ...options, key }, fresh))
            const claim = yield* Effect.flip(receipts.claim({ ...options, key }))
            assert.deepStrictEqual([once._tag, claim._tag], ["QuotaExceeded", "QuotaExceeded"], String(key))
          }
        }).pipe(Effect.ensuring(Effect.sync(() => (capacity.isExceeded = false))))
    )
  }
)
