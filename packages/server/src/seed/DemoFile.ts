// The file of the demo: a picture in the first message of the latest chat of client 501 (contract §11).
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"

/** The id in the examples of the API document. */
export const DEMO_FILE = "01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e"
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAGAAAABAAQMAAADf+uBNAAAABlBMVEX///8fTnkFm5wgAAAAMElEQVR42mP4jwQYUDgHGOCAedBx+GHO/EA8Z3i64ANJHPpGFj+ytynmDGB6w5lLAP8pzxMHZboIAAAAAElFTkSuQmCC"

/** Runs after the seed. If the storage is not available, the demo has no file. */
export const addDemoFile = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const storage = yield* FileStorage
  const { fixedIds } = yield* Effect.promise(() => import("@rapport/demo/Company.ts"))
  const place = { instanceId: fixedIds.instance, id: DEMO_FILE }
  const { bytes, sha256 } = yield* storage.put(place, Stream.make(Buffer.from(PICTURE, "base64")))
  const file = { id: DEMO_FILE, name: "рахунок.png", mediaType: "image/png", bytes }
  yield* sql`with first as (select message.id, message.appeal_id from appeals a join appeal_messages message
        on message.instance_id = a.instance_id and message.appeal_id = a.id
      where a.instance_id = ${fixedIds.instance} and a.client_id = ${fixedIds.client} and a.kind = 'chat'
        and message.author_type = 'client'
      order by a.id desc, message.sequence limit 1),
    stored as (insert into files (instance_id, id, name, media_type, bytes, sha256, uploader, appeal_id, message_id)
      select ${fixedIds.instance}, ${file.id}::uuid, ${file.name}, ${file.mediaType}, ${bytes}, ${sha256}, 'demo',
        first.appeal_id, first.id from first)
    update appeal_messages message set attachments = ${JSON.stringify([file])}::text::json from first
    where message.instance_id = ${fixedIds.instance} and message.id = first.id`
}).pipe(Effect.catchTag("SourceUnavailable", ({ cause }) => Effect.logWarning("the demo has no file", cause)))
