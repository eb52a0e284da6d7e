import { ImportStore } from "@rapport/core/imports/ImportStore.ts"
import { importStoreLaws } from "@rapport/core/testing/ImportStoreLaws.ts"
import { WriteWorld } from "@rapport/core/testing/WriteWorld.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { writeStoresPostgres } from "../../testing/WriteWorldFixtures.ts"

importStoreLaws("PostgreSQL", writeStoresPostgres)

layer(writeStoresPostgres, { excludeTestServices: true, timeout: 60_000 })(
  "a batch that is swept while it is repeated",
  (it) => {
    it.effect("a batch that is swept while it is repeated leaves its key free for the repeat", () =>
      Effect.gen(function* () {
        const { session } = yield* (yield* WriteWorld).fresh
        const sql = yield* SqlClient.SqlClient
        const store = yield* ImportStore
        const random = yield* SecureRandom.SecureRandom
        const open = Effect.flatMap(random.uuidV7(), (id) =>
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
  }
)
