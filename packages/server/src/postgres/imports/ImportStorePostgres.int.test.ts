// The lease and the checkpoint of an import batch, and a sweep during a repeat (contract §5).
import { ImportStore } from "@rapport/core/imports/ImportStore.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { freshWorld, type World, writeStores } from "../../testing/WriteWorld.ts"

const newId = Effect.flatMap(SecureRandom.SecureRandom, (random) => random.uuidV7())
const item = [{ status: "succeeded" }] as const
/** A batch of three items, leased by an importer. */
const leaseBatch = Effect.fnUntraced(function* ({ session }: World) {
  const store = yield* ImportStore
  const id = yield* newId
  yield* store.open(session, "k", "f", { id, total: 3, now: 1_000 })
  const ref = importer(session.instanceId, id)
  assert.strictEqual(yield* store.lease(ref), 0)
  return ref
})
const importer = (instanceId: number, id: string) => ({ instanceId, id, owner: randomUUID() })
/** Expires every lease. */
const endLeases = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`update import_batches set leased_until = clock_timestamp() - interval '1 second'`
)

layer(writeStores, { excludeTestServices: true, timeout: 60_000 })("import batches", (it) => {
  it.effect("another importer gets a batch only when its lease is released or has expired", () =>
    Effect.gen(function* () {
      const store = yield* ImportStore
      const ref = yield* leaseBatch(yield* freshWorld)
      const second = importer(ref.instanceId, ref.id)
      assert.isUndefined(yield* store.lease(second))
      yield* store.release(second)
      assert.isUndefined(yield* store.lease(second))
      yield* store.release(ref)
      assert.strictEqual(yield* store.lease(second), 0)
      yield* endLeases
      assert.strictEqual(yield* store.lease(importer(ref.instanceId, ref.id)), 0)
    })
  )

  it.effect("an importer without the lease, or with another checkpoint, writes nothing", () =>
    Effect.gen(function* () {
      const store = yield* ImportStore
      let written = 0
      const items = Effect.sync(() => (written++, item))
      const lost = yield* leaseBatch(yield* freshWorld)
      yield* endLeases
      const ref = importer(lost.instanceId, lost.id)
      yield* store.lease(ref)
      assert.isFalse(yield* store.advance(lost, 0, items))
      assert.isTrue(yield* store.advance(ref, 0, items))
      assert.isFalse(yield* store.advance(ref, 0, items))
      assert.isFalse(yield* store.advance(ref, 2, items))
      assert.strictEqual(written, 1)
    })
  )

  it.effect("a failed checkpoint rolls back its items", () =>
    Effect.gen(function* () {
      const store = yield* ImportStore
      const world = yield* freshWorld
      const sql = yield* SqlClient.SqlClient
      const ref = yield* leaseBatch(world)
      const failing = Effect.andThen(
        Effect.orDie(sql`update clients set version = 7 where id = ${world.clientIds[0]}`),
        Effect.die("killed")
      )
      yield* Effect.exit(store.advance(ref, 0, failing))
      assert.isEmpty(yield* sql`select 1 from clients where id = ${world.clientIds[0]} and version = 7`)
      assert.deepInclude(yield* store.find(ref.instanceId, ref.id), { checkpoint: { nextIndex: 0 } })
    })
  )

  it.effect("a batch that is swept while it is repeated leaves its key free for the repeat", () =>
    Effect.gen(function* () {
      const { session } = yield* freshWorld
      const sql = yield* SqlClient.SqlClient
      const store = yield* ImportStore
      const open = Effect.flatMap(newId, (id) =>
        store.open(session, "swept", "f", { id, total: 3, now: 1_000 })
      )
      const { batch: first } = yield* open
      // The sweep, right after the insertion that found the key taken.
      yield* sql.unsafe(`create function sweep_now() returns trigger language plpgsql as
          $$ begin delete from import_batches where id = '${first.id}'; return null; end $$`)
      yield* sql`create trigger sweep_now after insert on import_batches
          for each statement execute function sweep_now()`
      const { batch, isCreated } = yield* Effect.ensuring(
        open,
        Effect.orDie(sql`drop function sweep_now() cascade`)
      )
      assert.isTrue(isCreated)
      assert.notStrictEqual(batch.id, first.id)
    })
  )
})
