import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { DataFolder } from "../../files/DataFolder.ts"
import { temporaryFolder } from "../../testing/PostgresFixtures.ts"
import { isAlive, postmasterPid } from "../../testing/StoppedPostgres.ts"
import { valuesOf } from "../sql/Query.ts"
import { commandLayer } from "./Database.ts"
import { EmbeddedPostgres, findRunning } from "./EmbeddedPostgres.ts"

const databaseIn = (folder: string) =>
  Layer.unwrap(Effect.map(EmbeddedPostgres, commandLayer)).pipe(
    Layer.provide(EmbeddedPostgres.layer({ connectionsMax: 16 })),
    Layer.provide(DataFolder.layer(folder))
  )

const texts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  valuesOf(Schema.String).all(sql`select text from kept order by text`)
)

const keep = (text: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table if not exists kept(text text)`
    yield* sql`insert into kept(text) values (${text})`
  })

/** Another process that holds the folder with a running PostgreSQL until it is killed; writes one row first. */
const holder = (folder: string) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof spawn>>((resume) => {
      const child = spawn(
        process.execPath,
        [path.join(import.meta.dirname, "../../testing/PostgresProcess.ts"), folder],
        {
          stdio: ["ignore", "pipe", "inherit"],
          detached: true
        }
      )
      child.stdout?.once("data", () => resume(Effect.succeed(child)))
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const kill = (child: ReturnType<typeof spawn>, pid: number) =>
  Effect.callback<void>((resume) => {
    child.once("exit", () => resume(Effect.void))
    process.kill(pid, "SIGKILL")
  })

// contract §11: the next start after kill -9 recovers automatically.

it.live("the embedded PostgreSQL has Unicode lower case and character classes", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const rows = yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return yield* sql`select lower('ЇЖАК Ёж Hedgehog') as low, 'Договір' ~ '^[[:alpha:]]+$' as word`
    }).pipe(Effect.provide(databaseIn(folder)))
    assert.deepStrictEqual(rows, [{ low: "їжак ёж hedgehog", word: true }])
  })
)

it.live("the embedded PostgreSQL starts after kill -9 of the process that owned it", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const child = yield* holder(folder)
    const orphan = postmasterPid(folder)
    yield* kill(child, child.pid ?? 0)
    assert.deepStrictEqual(yield* Effect.provide(texts, databaseIn(folder)), ["kept"])
    assert.isFalse(isAlive(orphan))
  })
)

// After SIGTERM, PostgreSQL waits for its last client, and the service keeps connections open.
it.live.each(["SIGKILL", "SIGTERM"] as const)(
  "the embedded PostgreSQL is restarted after a %s while the service runs",
  (signal) =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.gen(function* () {
        yield* keep("before")
        const first = postmasterPid(folder)
        process.kill(first, signal)
        yield* Effect.repeat(
          Effect.sync(() => findRunning(folder) !== undefined && postmasterPid(folder) !== first),
          { until: (again) => again, schedule: Schedule.spaced("20 millis") }
        ).pipe(Effect.timeout("90 seconds"))
        yield* Effect.retry(keep("after"), { times: 100, schedule: Schedule.spaced("100 millis") })
        assert.deepStrictEqual(yield* texts, ["after", "before"])
      }).pipe(Effect.provide(databaseIn(folder)))
    })
)

// The service logs what it wrote last: a chat id, an address or a text of a client is none of it.
it.live("the embedded PostgreSQL logs no value of a row when it ends", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const lines = new Array<string>()
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table clients(chat text primary key, age int check (age > 0))`
      yield* sql`insert into clients values ('+380441234567', 1)`
      for (const age of [1, -1])
        yield* Effect.flip(sql`insert into clients values ('+380441234567', ${age}::int4)`)
      process.kill(postmasterPid(folder), "SIGKILL")
      yield* Effect.repeat(
        Effect.sync(() => lines.join("")),
        { until: (text) => text.includes("is restarted"), schedule: Schedule.spaced("20 millis") }
      ).pipe(Effect.timeout("90 seconds"))
    }).pipe(Effect.provide(Layer.provideMerge(databaseIn(folder), logger)))
    const written = lines.join("\n")
    assert.include(written, "duplicate key value violates")
    assert.include(written, "violates check constraint")
    assert.notInclude(written, "380441234567")
    assert.notInclude(written, "insert into")
  })
)

it.live("the embedded PostgreSQL serves a folder whose path is longer than a socket's may be", () =>
  Effect.gen(function* () {
    const folder = path.join(yield* temporaryFolder, "д".repeat(60))
    yield* Effect.provide(keep("deep"), databaseIn(folder))
    assert.deepStrictEqual(yield* Effect.provide(texts, databaseIn(folder)), ["deep"])
  })
)

it.live("the embedded PostgreSQL starts after its first start was killed", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    fs.mkdirSync(path.join(folder, "postgres.new/base"), { recursive: true })
    yield* Effect.provide(keep("whole"), databaseIn(folder))
    assert.isFalse(fs.existsSync(path.join(folder, "postgres.new")))
  })
)
