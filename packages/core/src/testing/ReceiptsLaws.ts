// The promises of contract §1.3 as laws for a store of receipts.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { ClientContextStore } from "../clients/ClientContextStore.ts"
import { type Command, type OnceResult, Receipts } from "../receipts/Receipts.ts"
import { putState } from "./ClientWriteFixtures.ts"
import type { WriteStores } from "./WriteWorld.ts"
import { type World, WriteWorld } from "./WriteWorld.ts"

const Answer = Schema.Struct({ n: Schema.Int, secret: Schema.NullOr(Schema.String) })
type Answer = typeof Answer.Type
const command: Command = { operation: "law.o", pathIds: [1], content: { a: 1, b: "їжак" } }

/** An effect that counts its runs. Its answer is the number of the run. */
const counted = () => {
  const ran = { times: 0 }
  const effect = () =>
    Effect.sync((): OnceResult<Answer> => ({
      answer: { n: ++ran.times, secret: "s" },
      replayed: false
    }))
  return { ran, effect }
}
const withoutSecret = (answer: Answer): Answer => ({ ...answer, secret: null })
const once = Effect.fnUntraced(function* (
  { session }: Pick<World, "session">,
  key: string | null,
  effect: () => Effect.Effect<OnceResult<Answer>, string>,
  sent: Command = command,
  shownOnce: ((answer: Answer) => Answer) | null = null
) {
  const receipts = yield* Receipts
  const options = { caller: session, command: sent, key, answer: Answer }
  return yield* receipts.once(shownOnce === null ? options : { ...options, redact: shownOnce }, effect)
})

/** Registers the laws for one implementation. */
export const receiptsLaws = <E>(name: string, stores: Layer.Layer<WriteStores, E>): void =>
  layer(stores, { excludeTestServices: true, timeout: 60_000 })(`Receipts: ${name}`, (it) => {
    it.effect("a repeat has no effect and returns the first answer", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const { effect, ran } = counted()
        const answer = { n: 1, secret: "s" }
        assert.deepStrictEqual(yield* once(world, "k", effect), { answer, replayed: false })
        const reordered = { ...command, content: { b: "їжак", a: 1 } }
        assert.deepStrictEqual(yield* once(world, "k", effect, reordered), { answer, replayed: true })
        assert.strictEqual(ran.times, 1)
      })
    )

    it.effect("another command under the key is refused and has no effect", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const { effect, ran } = counted()
        yield* once(world, "k", effect)
        for (const other of [
          { ...command, content: { a: 2, b: "їжак" } },
          { ...command, pathIds: [2] }
        ]) {
          const refusal = yield* Effect.flip(once(world, "k", effect, other))
          assert.propertyVal(refusal, "_tag", "IdempotencyKeyReused")
        }
        assert.strictEqual(ran.times, 1)
      })
    )

    it.effect("a key belongs to its instance, principal and operation", () =>
      Effect.gen(function* () {
        const { fresh } = yield* WriteWorld
        const world = yield* fresh
        const { effect, ran } = counted()
        yield* once(world, "k", effect)
        yield* once({ session: world.other }, "k", effect)
        yield* once({ session: { ...world.session, tokenId: 1 } }, "k", effect)
        yield* once(yield* fresh, "k", effect)
        yield* once(world, "k", effect, { ...command, operation: "law.p" })
        yield* once(world, "K", effect)
        assert.strictEqual(ran.times, 6)
      })
    )

    it.effect("every request without a key has its effect", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const { effect, ran } = counted()
        yield* once(world, null, effect)
        assert.isFalse((yield* once(world, null, effect)).replayed)
        assert.strictEqual(ran.times, 2)
      })
    )

    it.effect("a failure rolls back all writes and leaves the key unused", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const context = yield* ClientContextStore
        const { effect } = counted()
        const target = {
          instanceId: world.session.instanceId,
          clientId: world.clientIds[0],
          namespace: "crm"
        }
        const stores = yield* Effect.context<ClientContextStore | SecureRandom.SecureRandom>()
        const broken = Effect.andThen(
          Effect.orDie(Effect.provideContext(putState(world, { expected: 0, state: { a: 1 } }), stores)),
          Effect.fail("own")
        )
        assert.strictEqual(yield* Effect.flip(once(world, "k", () => broken)), "own")
        assert.isUndefined(yield* context.findState(target))
        assert.isFalse((yield* once(world, "k", effect)).replayed)
      })
    )

    it.effect("a secret that is shown once is not stored", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const { effect } = counted()
        const first = yield* once(world, "k", effect, command, withoutSecret)
        assert.strictEqual(first.answer.secret, "s")
        const again = yield* once(world, "k", effect, command, withoutSecret)
        assert.deepStrictEqual(again, { answer: { n: 1, secret: null }, replayed: true })
      })
    )

    it.effect("one of 20 equal concurrent commands has an effect, and all get its answer", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const { effect, ran } = counted()
        const slow = () => Effect.delay(effect(), "20 millis")
        const all = yield* Effect.forEach(Array.from({ length: 20 }), () => once(world, "k", slow), {
          concurrency: "unbounded"
        })
        assert.strictEqual(ran.times, 1)
        assert.strictEqual(all.filter(({ replayed }) => !replayed).length, 1)
        for (const { answer } of all) assert.strictEqual(answer.n, 1)
      })
    )
  })
