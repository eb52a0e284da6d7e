// `rapport doctor` on a folder and on a real S3-compatible server.
import { assert, it, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { PostgresFixtures, temporaryFolder } from "../testing/PostgresFixtures.ts"
import { isS3Missing, runningS3 } from "../testing/RunningS3.ts"
import { sharedFilesCheck, storageCheck } from "./StorageCheck.ts"

it.live("reports a folder that takes files, also before the first start, and a path that is no folder", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const dataDir = path.join(folder, "new")
    assert.deepInclude(yield* storageCheck({ dataDir, s3: undefined }), { status: "ok", mend: null })
    assert.isFalse(fs.existsSync(dataDir))
    fs.writeFileSync(path.join(folder, "files"), "")
    assert.deepInclude(yield* storageCheck({ dataDir: folder, s3: undefined }), {
      name: "files",
      status: "failed"
    })
  })
)

it.live.skipIf(isS3Missing)(
  "reports a bucket that takes objects, leaves none there, and names its fault",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const { list, settings } = yield* runningS3
      assert.deepInclude(yield* storageCheck({ dataDir, s3: settings }), { status: "ok" })
      assert.isEmpty(yield* list)
      const absent = { ...settings, url: settings.url.replace("/files/", "/absent/") }
      const found = yield* storageCheck({ dataDir, s3: absent })
      assert.deepInclude(found, { name: "files", status: "failed" })
      assert.include(found.found, "NoSuchBucket")
      const forged = { ...settings, secretKey: Redacted.make("another") }
      assert.include((yield* storageCheck({ dataDir, s3: forged })).found, "SignatureDoesNotMatch")
      assert.isEmpty(fs.readdirSync(dataDir))
    })
)

layer(PostgresFixtures.migrated)((it) => {
  it.effect("warns that files of several processes are not shared, unless they are in a bucket", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const place = { dataDir: "/nowhere", s3: undefined }
      const report = () =>
        sql`insert into projection_statuses (process_id, kind, instance_id, engine, state, waiting, lag_millis, built, total)
          values (${randomUUID()}, 'evidence', 0, 'sqlite', 'ready', 0, 0, 0, 0)`
      yield* report()
      assert.isEmpty(yield* sharedFilesCheck(place))
      yield* report()
      assert.deepInclude((yield* sharedFilesCheck(place))[0], { status: "warning" })
    })
  )
})
