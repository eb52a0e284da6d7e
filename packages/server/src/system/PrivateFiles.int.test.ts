// No other user may read the files of the service, not even the user nobody (docs/operations.md).
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { findRunning } from "../postgres/connection/EmbeddedPostgres.ts"
import { commandLayer } from "../postgres/connection/Database.ts"
import { PostgresFixtures, PreparedFolder, temporaryFolder } from "../testing/PostgresFixtures.ts"
import { runProgram, startService } from "../testing/ServerFixtures.ts"

const isRoot = process.getuid?.() === 0
const NOBODY = 65534

const modeOf = (place: string) => fs.statSync(place).mode & 0o777

/** Folders whose own mode protects what is in them; the cluster belongs to the user it runs as. */
const closed = ["postgres", "files"]

/** Everything below the folder but the contents of closed folders. */
const placesIn = (folder: string): ReadonlyArray<string> =>
  fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name)
    return entry.isDirectory() && !closed.includes(entry.name) ? [place, ...placesIn(place)] : [place]
  })

/** What a process of the user nobody reads there; undefined: it may not. */
const readByNobody = (place: string): string | undefined => {
  const read = spawnSync("cat", [place], { uid: NOBODY, gid: NOBODY, encoding: "utf8" })
  return read.status === 0 ? read.stdout : undefined
}

const startIn = (folder: string) => startService({ RAPPORT_SEED: "small", RAPPORT_DATA_DIR: folder })

const onlyOurs = (folder: string) => {
  assert.strictEqual(modeOf(folder) & 0o067, 0, "the data folder")
  for (const place of placesIn(folder)) assert.strictEqual(modeOf(place) & 0o077, 0, place)
}

it.live(
  "the data folder is readable only by its owner, also one that was open before",
  () =>
    Effect.gen(function* () {
      const { path: folder } = yield* Effect.provide(PreparedFolder, PostgresFixtures.smallFolder)
      const first = yield* startIn(folder)
      onlyOurs(folder)
      yield* first.process.stop()
      fs.chmodSync(folder, 0o755)
      for (const place of placesIn(folder)) {
        if (path.basename(place) !== "postgres") {
          fs.chmodSync(place, fs.statSync(place).isDirectory() ? 0o755 : 0o644)
        }
      }
      yield* startIn(folder)
      onlyOurs(folder)
      const files = ["token-keys", "index/evidence-1.sqlite", "memory-index/evidence-1.sqlite", "lock.db"]
      for (const name of files) assert.isTrue(fs.existsSync(path.join(folder, name)), name)
      if (isRoot) {
        for (const name of files) assert.isUndefined(readByNobody(path.join(folder, name)), name)
        assert.isUndefined(readByNobody(path.join(folder, "postgres/rapport-password")))
      }
    }),
  120_000
)

it.live(
  "the start leaves a folder unchanged that is not clearly its own",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      fs.writeFileSync(path.join(folder, "of-others"), "")
      yield* runProgram(["serve"], {
        PORT: "0",
        RAPPORT_SEED: "empty",
        RAPPORT_DATA_DIR: folder,
        DATABASE_URL: "postgres://rapport@127.0.0.1:9/rapport",
        RAPPORT_TOKEN_KEYS: Buffer.alloc(32, 7).toString("base64url")
      })
      assert.strictEqual(modeOf(folder), 0o755)
    }),
  60_000
)

it.live(
  "the socket of the embedded PostgreSQL accepts only callers with the password",
  () =>
    Effect.gen(function* () {
      const { path: folder } = yield* Effect.provide(PreparedFolder, PostgresFixtures.smallFolder)
      yield* startIn(folder)
      const running = findRunning(folder)
      if (running === undefined) return assert.fail("nothing runs")
      const anyUser = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`select usename::text from pg_user limit 1`
      )
      assert.lengthOf(yield* Effect.provide(anyUser, commandLayer(running)), 1)
      for (const password of ["", "rapport", "rapport-demo"]) {
        const refused = yield* Effect.flip(
          Effect.provide(anyUser, commandLayer({ ...running, password: Redacted.make(password) }))
        )
        assert.strictEqual(String(Reflect.get(Object(refused), "_tag")), "SqlError", password)
      }
      const log = fs.readFileSync(path.join(folder, "postgres/pg_hba.conf"), "utf8")
      assert.notInclude(log, "trust")
    }),
  60_000
)
