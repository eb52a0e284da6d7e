// The promises of contract §5 as laws for a store of import batches.
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { ClientContextStore } from "../clients/ClientContextStore.ts"
import { ImportStore, type ItemOutcome } from "../imports/ImportStore.ts"
import { putState } from "./ClientWriteFixtures.ts"
import type { WriteStores } from "./WriteWorld.ts"
import { type World, WriteWorld } from "./WriteWorld.ts"

const succeeded: ItemOutcome = { status: "succeeded" }
const open = Effect.fnUntraced(function* (
  { session }: Pick<World, "session">,
  key: string,
  fingerprint = "f"
) {
  const store = yield* ImportStore
  const random = yield* SecureRandom.SecureRandom
  const id = yield* random.uuidV7()
  return yield* store.open(session, key, fingerprint, { id, total: 3, now: 1_000 })
})
/** A batch of three items, leased by an importer. */
const leased = Effect.fnUntraced(function* (world: World) {
  const store = yield* ImportStore
  const { batch } = yield* open(world, "k")
  const ref = yield* importer(world, batch.id)
  assert.strictEqual(yield* store.lease(ref), 0)
  return ref
})
const importer = Effect.fnUntraced(function* ({ session }: World, id: string) {
  const random = yield* SecureRandom.SecureRandom
  return { instanceId: session.instanceId, id, owner: yield* random.uuidV7() }
})
const stateTarget = ({ clientIds, session }: World) => ({
  instanceId: session.instanceId,
  clientId: clientIds[0],
  namespace: "imported"
})
/** Writes a version of the state, as an item does. */
const writeItem = (world: World) =>
  Effect.orDie(putState(world, { expected: null, state: { a: 1 }, namespace: "imported" }))
const versionOf = (world: World) =>
  Effect.flatMap(ClientContextStore, (context) =>
    Effect.map(context.findState(stateTarget(world)), (state) => state?.version ?? 0)
  )

/** Registers the laws for one implementation. */
export const importStoreLaws = <E>(name: string, stores: Layer.Layer<WriteStores, E>): void =>
  layer(stores, { excludeTestServices: true, timeout: 60_000 })(`ImportStore: ${name}`, (it) => {
    it.effect("the importer that creates a batch has its lease (contract §1.3, one effect)", () =>
      Effect.gen(function* () {
        const { fresh } = yield* WriteWorld
        const world = yield* fresh
        const store = yield* ImportStore
        const random = yield* SecureRandom.SecureRandom
        const [id, owner] = [yield* random.uuidV7(), yield* random.uuidV7()]
        const now = yield* Clock.currentTimeMillis
        const opened = yield* store.open(world.session, "mine", "f", {
          id,
          total: 1,
          now,
          owner
        })
        assert.isTrue(opened.isCreated)
        assert.isUndefined(yield* store.lease(yield* importer(world, id)))
        const ref = { instanceId: world.session.instanceId, id, owner }
        assert.isTrue(yield* store.advance(ref, 0, Effect.succeed([succeeded])))
      })
    )

    it.effect("a key names one batch of its caller, and keeps the first fingerprint", () =>
      Effect.gen(function* () {
        const { fresh } = yield* WriteWorld
        const world = yield* fresh
        const store = yield* ImportStore
        assert.isFalse(yield* store.isKnown(world.session, "k"))
        const first = yield* open(world, "k", "first")
        assert.isTrue(yield* store.isKnown(world.session, "k"))
        assert.isFalse(yield* store.isKnown((yield* fresh).session, "k"))
        assert.deepStrictEqual(first.batch, {
          id: first.batch.id,
          status: "running",
          checkpoint: { nextIndex: 0 },
          total: 3,
          succeeded: 0,
          failed: 0,
          items: []
        })
        const again = yield* open(world, "k", "second")
        assert.deepInclude(again, { isCreated: false, fingerprint: "first", batch: first.batch })
        assert.isTrue((yield* open(world, "K")).isCreated)
        assert.isTrue((yield* open({ session: world.other }, "k")).isCreated)
        assert.isTrue((yield* open(yield* fresh, "k")).isCreated)
      })
    )

    it.effect("another importer gets a batch only when its lease is released or has expired", () =>
      Effect.gen(function* () {
        const { endLeases, fresh } = yield* WriteWorld
        const world = yield* fresh
        const store = yield* ImportStore
        const ref = yield* leased(world)
        const second = yield* importer(world, ref.id)
        assert.isUndefined(yield* store.lease(second))
        yield* store.release(second)
        assert.isUndefined(yield* store.lease(second))
        yield* store.release(ref)
        assert.strictEqual(yield* store.lease(second), 0)
        yield* endLeases
        assert.strictEqual(yield* store.lease(yield* importer(world, ref.id)), 0)
      })
    )

    it.effect("an item is written together with its checkpoint, and the last one completes the batch", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const store = yield* ImportStore
        const ref = yield* leased(world)
        const item = Effect.as(writeItem(world), [succeeded])
        for (const index of [0, 1]) assert.isTrue(yield* store.advance(ref, index, item))
        assert.deepInclude(yield* store.find(ref.instanceId, ref.id), {
          status: "running",
          checkpoint: { nextIndex: 2 },
          succeeded: 2,
          items: [
            { index: 0, status: "succeeded" },
            { index: 1, status: "succeeded" }
          ]
        })
        assert.isTrue(
          yield* store.advance(ref, 2, Effect.succeed<ReadonlyArray<ItemOutcome>>([{ status: "replayed" }]))
        )
        const ended = yield* store.find(ref.instanceId, ref.id)
        assert.deepInclude(ended, { status: "completed", succeeded: 3, failed: 0 })
        assert.strictEqual(yield* versionOf(world), 2)
        assert.isUndefined(yield* store.lease(yield* importer(world, ref.id)))
      })
    )

    it.effect("items of a group have one checkpoint, and an outcome each", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const store = yield* ImportStore
        const ref = yield* leased(world)
        const failed: ItemOutcome = { status: "failed", code: "INVALID_REQUEST", message: "так не можна" }
        assert.isTrue(yield* store.advance(ref, 0, Effect.as(writeItem(world), [failed, succeeded])))
        assert.deepInclude(yield* store.find(ref.instanceId, ref.id), { checkpoint: { nextIndex: 2 } })
        assert.isTrue(yield* store.advance(ref, 2, Effect.as(writeItem(world), [succeeded])))
        const ended = yield* store.find(ref.instanceId, ref.id)
        assert.deepInclude(ended, { status: "completed_with_errors", succeeded: 2, failed: 1 })
        assert.deepStrictEqual(ended?.items, [
          { index: 0, ...failed },
          { index: 1, ...succeeded },
          { index: 2, ...succeeded }
        ])
        assert.strictEqual(yield* versionOf(world), 2)
      })
    )

    it.effect("an importer without the lease, or with another checkpoint, writes nothing", () =>
      Effect.gen(function* () {
        const { endLeases, fresh } = yield* WriteWorld
        const world = yield* fresh
        const store = yield* ImportStore
        const item = Effect.as(writeItem(world), [succeeded])
        const lost = yield* leased(world)
        yield* endLeases
        const ref = yield* importer(world, lost.id)
        yield* store.lease(ref)
        assert.isFalse(yield* store.advance(lost, 0, item))
        assert.isTrue(yield* store.advance(ref, 0, item))
        assert.isFalse(yield* store.advance(ref, 0, item))
        assert.isFalse(yield* store.advance(ref, 2, item))
        assert.strictEqual(yield* versionOf(world), 1)
      })
    )

    it.effect("a failed checkpoint rolls back its item", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const store = yield* ImportStore
        const ref = yield* leased(world)
        const failing = Effect.andThen(writeItem(world), Effect.die("killed"))
        yield* Effect.exit(store.advance(ref, 0, failing))
        assert.strictEqual(yield* versionOf(world), 0)
        assert.deepInclude(yield* store.find(ref.instanceId, ref.id), { checkpoint: { nextIndex: 0 } })
      })
    )
  })
