// A real PostgreSQL for integration tests: a cluster prepared once per day and per content of the sources, then copied.
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { threadId } from "node:worker_threads"
import { instancesLayer } from "../wiring/Instances.ts"
import { DataFolder } from "../files/DataFolder.ts"
import { type DatabaseClient, commandLayer, poolLayer } from "../postgres/connection/Database.ts"
import { EmbeddedPostgres, type EmbeddedPostgresOptions } from "../postgres/connection/EmbeddedPostgres.ts"
import { migrate } from "../postgres/schema/Migrations.ts"
import { seed } from "../seed/SeedLoader.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

const sources = path.resolve(import.meta.dirname, "..")
const cache = path.resolve(sources, "../../../node_modules/.cache/rapport-postgres")

// Durability is not what these tests check; a power cut of the test machine costs one run.
const forTests = { connectionsMax: 64, settings: { fsync: "off", shared_buffers: "64MB" } }

/** A PostgreSQL in the folder. */
export const clusterLayer = (folder: string, options: EmbeddedPostgresOptions = forTests) =>
  EmbeddedPostgres.layer(options).pipe(Layer.provide(DataFolder.layer(folder)))

export { temporaryFolder }

// Everything that shapes the prepared data: migrations, generator, contract (roles and limits), the day of seeding.
const fingerprint = (kind: string, day: string): string => {
  const hash = createHash("sha256").update(kind).update(day).update(process.version)
  for (const folder of ["postgres", "seed", "access", "../../demo/src"].map((name) =>
    path.join(sources, name)
  )) {
    if (!fs.existsSync(folder)) continue
    for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
      if (/\.(?:ts|json)$/u.test(name) && !name.endsWith(".test.ts")) {
        hash.update(name).update(fs.readFileSync(path.join(folder, name)))
      }
    }
  }
  return hash.digest("hex").slice(0, 16)
}

/** Copies a folder with owners and permissions. */
export const copyTree = (from: string, to: string): void => {
  const copied = spawnSync("cp", ["-a", from, to])
  if (copied.status !== 0) throw new Error(`cp -a ${from} ${to}: ${copied.stderr.toString()}`)
}

// Long enough that no other run still copies a deleted folder.
const CACHE_MILLIS_MAX = 20 * 60_000

// The templates of new databases are nearly half of the files that every copy has.
const dropTemplates = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update pg_database set datistemplate = false`
  yield* sql`drop database template0`
  yield* sql`drop database template1`
})

/** The data folder of a stopped cluster that `prepare` has filled, reused by all runs of the day. */
const prepareFolder = <E>(kind: string, prepare: Effect.Effect<unknown, E, DatabaseClient>) =>
  Effect.gen(function* () {
    const day = DateTime.formatIso(DateTime.startOf(yield* DateTime.now, "day"))
    const ready = path.join(cache, `${kind}-${fingerprint(kind, day)}`)
    if (fs.existsSync(ready)) return ready
    // Test files run in threads of one process.
    const draft = `${ready}.${process.pid}.${threadId}`
    fs.mkdirSync(draft, { recursive: true })
    const client = Layer.unwrap(Effect.map(EmbeddedPostgres, commandLayer))
    const filled = Effect.andThen(prepare, dropTemplates)
    yield* Effect.provide(filled, client.pipe(Layer.provide(clusterLayer(draft))))
    // The clock of the files: the seed may use another day.
    const now = Clock.Clock.defaultValue().currentTimeMillisUnsafe()
    for (const old of fs.readdirSync(cache).map((name) => path.join(cache, name))) {
      // Another run may delete it meanwhile.
      const made = fs.statSync(old, { throwIfNoEntry: false })?.mtimeMs ?? now
      if (now - made > CACHE_MILLIS_MAX) fs.rmSync(old, { recursive: true, force: true })
    }
    // Another process may have prepared the same data meanwhile.
    if (fs.existsSync(ready)) fs.rmSync(draft, { recursive: true, force: true })
    else fs.renameSync(draft, ready)
    return ready
  })

// Processes need real time, also in tests with a test clock.
const liveClock = Layer.sync(Clock.Clock, () => Clock.Clock.defaultValue())

/** The clock of the machine, ahead by this much. */
export const clockAhead = (difference: number): Clock.Clock => {
  const live = Clock.Clock.defaultValue()
  const millis = () => live.currentTimeMillisUnsafe() + difference
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    ...live,
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: live.monotonicTimeNanos,
    sleep: (duration) => live.sleep(duration)
  }
}

/** Real time shifted to another day, from which the seed counts its times back. */
const clockOn = (midnight: number) =>
  Layer.sync(Clock.Clock, () => clockAhead(midnight - Clock.Clock.defaultValue().currentTimeMillisUnsafe()))

const DAY_MILLIS = 86_400_000

/** The demo of another weekday has other texts, so tests use that of the latest Sunday. */
const latestSunday = Layer.unwrap(
  Effect.map(DateTime.now, (now) => {
    const midnight = DateTime.startOf(now, "day")
    return clockOn(DateTime.toEpochMillis(midnight) - DateTime.getPartUtc(midnight, "weekDay") * DAY_MILLIS)
  })
).pipe(Layer.provide(liveClock))

const small = Effect.andThen(
  migrate,
  seed({ kind: "small", adminLogin: undefined, adminPassword: undefined })
).pipe(Effect.provide(instancesLayer))

/** A data folder with a prepared and stopped cluster, for a service to start on. */
export class PreparedFolder extends Context.Service<PreparedFolder, { readonly path: string }>()(
  "@rapport/server/testing/PreparedFolder"
) {}

const copyOf = <E>(kind: string, prepare: Effect.Effect<unknown, E, DatabaseClient>) =>
  Layer.effect(
    PreparedFolder,
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      copyTree(path.join(yield* prepareFolder(kind, prepare), "postgres"), path.join(folder, "postgres"))
      return { path: folder }
    })
  )

/** A pool on the cluster in the folder, running as long as the layer. */
export const clusterIn = (folder: string, options?: EmbeddedPostgresOptions) =>
  Layer.unwrap(Effect.map(EmbeddedPostgres, (postgres) => poolLayer(postgres, 16))).pipe(
    Layer.provideMerge(clusterLayer(folder, options)),
    Layer.provide(liveClock)
  )

const clusterPoolLayer = <E>(folder: Layer.Layer<PreparedFolder, E>) =>
  Layer.unwrap(Effect.map(PreparedFolder, (made) => clusterIn(made.path))).pipe(
    Layer.provideMerge(folder),
    Layer.provide(liveClock)
  )

/** Layers for `layer(…)` of @effect/vitest; each use has its own cluster. */
export const PostgresFixtures = {
  /** All tables, no rows. */
  migrated: clusterPoolLayer(copyOf("migrated", migrate)),
  /** The folder of a cluster with all tables and no rows, to be started and stopped by the test. */
  migratedFolder: copyOf("migrated", migrate).pipe(Layer.provide(liveClock)),
  /** The small demo: fixed logins and ids of contract §11, times counted back from the latest Sunday, midnight UTC. */
  small: clusterPoolLayer(copyOf("small", small).pipe(Layer.provide(latestSunday))),
  /** The folder of the small demo, for a service that starts its own PostgreSQL on it. */
  smallFolder: copyOf("small", small).pipe(Layer.provide(latestSunday)),
  /** The same, seeded on another day: `midnight` is UTC, epoch milliseconds. */
  smallFolderOn: (midnight: number) => copyOf("small", small).pipe(Layer.provide(clockOn(midnight)))
}
