import { assert, layer } from "@effect/vitest"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { temporaryFileStorage } from "../testing/FileFixtures.ts"
import { PostgresFixtures } from "../testing/PostgresFixtures.ts"
import { addDemoFile, DEMO_FILE } from "./DemoFile.ts"

layer(Layer.provideMerge(temporaryFileStorage, PostgresFixtures.small))((it) => {
  it.effect("a message of client 501 has the file of the demo, whose bytes are a picture", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const storage = yield* FileStorage
      yield* addDemoFile
      const found = yield* sql`select a.client_id::int4 as client, a.kind, message.author_type as author,
          message.attachments->0->>'id' as id, file.bytes::int4 as bytes, file.expires_at as expiry
        from files file join appeals a on a.instance_id = file.instance_id and a.id = file.appeal_id
          join appeal_messages message on message.instance_id = file.instance_id and message.id = file.message_id
        where file.instance_id = 1`
      assert.deepStrictEqual(found, [
        { client: 501, kind: "chat", author: "client", id: DEMO_FILE, bytes: 123, expiry: null }
      ])
      const bytes = yield* storage.read({ instanceId: 1, id: DEMO_FILE }, { first: 0, last: 122 })
      if (bytes === undefined) return assert.fail("no bytes")
      const all = Buffer.concat([...(yield* Stream.runCollect(bytes))])
      assert.strictEqual(all.subarray(1, 4).toString(), "PNG")
    })
  )
})
