// Files past their time are deleted with their bytes, also those of an upload that did not end (contract §7, "Files").
import { assert, layer } from "@effect/vitest"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { temporaryFileStorage } from "../../testing/FileFixtures.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { newWorld } from "../../testing/ProjectionFixtures.ts"
import { sweepFiles } from "./FileStorePostgres.ts"

layer(Layer.merge(PostgresFixtures.migrated, temporaryFileStorage))("expired files", (it) => {
  it.effect("a sweep deletes bytes and rows past their time, and leaves the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const files = yield* FileStorage
      const { instanceId } = yield* newWorld
      const add = Effect.fnUntraced(function* (expires: string | null, hasBytes = true) {
        const place = { instanceId, id: randomUUID() }
        if (hasBytes) yield* files.put(place, Stream.make(new Uint8Array([7])))
        yield* sql`insert into files (instance_id, id, name, media_type, bytes, sha256, uploader, expires_at)
          values (${instanceId}, ${place.id}::uuid, 'рахунок', 'text/plain', 1, 'x', 'u', now() + ${expires}::interval)`
        return place
      })
      const isStored = (place: { readonly instanceId: number; readonly id: string }) =>
        Effect.map(files.read(place, { first: 0, last: 0 }), (bytes) => bytes !== undefined)
      const kept = [yield* add(null), yield* add("1 minute")]
      const expired = [yield* add("-1 second"), yield* add("-1 day"), yield* add("-1 second", false)]
      assert.strictEqual(yield* sweepFiles(2), 2)
      assert.strictEqual(yield* sweepFiles(2), 1)
      assert.strictEqual(yield* sweepFiles(2), 0)
      for (const place of kept) assert.isTrue(yield* isStored(place))
      for (const place of expired) assert.isFalse(yield* isStored(place))
      const left = yield* sql`select id::text from files where instance_id = ${instanceId}`
      assert.sameMembers(
        left.map(({ id }) => id),
        kept.map(({ id }) => id)
      )
    })
  )
})
