// The index of a database that was set back, by the files of its cluster, a backup or a dump, while the index was not (contract §11).
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryFileStorage } from "../testing/FileFixtures.ts"
import { backUp, restore } from "../postgres/backup/Backup.ts"
import { migrate } from "../postgres/schema/Migrations.ts"
import {
  databaseOf,
  installedPostgres,
  type InstalledPostgres,
  isPostgresMissing
} from "../testing/InstalledPostgres.ts"
import {
  clusterIn,
  copyTree,
  PostgresFixtures,
  PreparedFolder,
  temporaryFolder
} from "../testing/PostgresFixtures.ts"
import {
  isOpenSearchMissing,
  OpenSearchAt,
  OpenSearchFixtures,
  settingsOf
} from "../testing/OpenSearchFixtures.ts"
import { addAppeal, caughtUp, newWorld, search, type World } from "../testing/ProjectionFixtures.ts"
import { embeddedSearchLayer, sharedSearchLayer } from "../testing/SearchLayers.ts"
import { freePort } from "../testing/SharedDatabaseFixtures.ts"
import { EvidenceProjector } from "./ProjectorLayers.ts"

/** Writes an appeal that a backup or dump does not have, and waits until the index has it. */
const addLost = Effect.fnUntraced(function* (world: World) {
  const lost = yield* addAppeal(world, ["a parcel that the backup does not have"])
  yield* caughtUp
  assert.deepStrictEqual(yield* search(world, "parcel"), [lost])
})

/** The index has the first appeal and a new one, which may have the id of the lost one, and nothing else. */
const followsDatabase = Effect.fnUntraced(function* (world: World, first: number) {
  const next = yield* addAppeal(world, ["an invoice"])
  yield* caughtUp
  assert.deepStrictEqual(yield* search(world, "parcel"), [])
  assert.deepStrictEqual(yield* search(world, "invoice"), [next])
  assert.deepStrictEqual(yield* search(world, "refund"), [first])
  const readiness = yield* (yield* EvidenceProjector).readiness(world.instanceId)
  assert.deepStrictEqual(readiness, { ready: true, lagMillis: 0, quarantined: 0 })
})

/** Passes transaction ids, so that those of a database are ahead of another one's. */
const passTransactions = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("do $$ begin for i in 1..5000 loop perform pg_current_xact_id(); commit; end loop; end $$")
)

const copyFolder = (from: string, to: string) =>
  Effect.sync(() => {
    fs.rmSync(to, { recursive: true, force: true })
    copyTree(from, to)
  })

type Following = SqlClient.SqlClient | Layer.Success<ReturnType<typeof embeddedSearchLayer>>
/** The search of a process whose data folder is given. */
type SearchOf = (
  folder: string
) => Layer.Layer<
  Layer.Success<ReturnType<typeof embeddedSearchLayer>>,
  unknown,
  Layer.Services<ReturnType<typeof embeddedSearchLayer>>
>

interface Restored {
  /** Runs on the database with an index that follows it. */
  readonly following: <A, E>(work: Effect.Effect<A, E, Following>) => Effect.Effect<A, unknown>
  /** Runs on the database without an index. */
  readonly withoutIndex: <A, E>(work: Effect.Effect<A, E, SqlClient.SqlClient>) => Effect.Effect<A, unknown>
  readonly world: World
  readonly first: number
  readonly index: string
}

/** An appeal about a refund is in both. The writes of `lost` are only in the index, because the backup is restored after them. */
const restoreBackup = (
  lost: (state: Restored) => Effect.Effect<unknown, unknown>,
  searchOf: SearchOf = embeddedSearchLayer
) =>
  Effect.gen(function* () {
    const folder = (yield* PreparedFolder).path
    const index = yield* temporaryFolder
    const cluster = path.join(folder, "postgres")
    const withoutIndex: Restored["withoutIndex"] = (work) =>
      Effect.provide(work, clusterIn(folder), { local: true })
    const following: Restored["following"] = (work) =>
      Effect.provide(work, searchOf(index).pipe(Layer.provideMerge(clusterIn(folder))), {
        local: true
      })
    const { first, world } = yield* following(
      Effect.gen(function* () {
        const world = yield* newWorld
        const first = yield* addAppeal(world, ["refund"])
        yield* caughtUp
        return { world, first }
      })
    )
    const state = { following, withoutIndex, world, first, index }
    yield* copyFolder(cluster, path.join(folder, "backup"))
    yield* lost(state)
    yield* copyFolder(path.join(folder, "backup"), cluster)
    return state
  })

const losesAnAppeal = ({ following, world }: Restored) => following(Effect.andThen(caughtUp, addLost(world)))

/** The lost appeal is not found, also before the index has compared itself with the database. */
const servesWhatIsThere = ({ first, following, world }: Pick<Restored, "first" | "following" | "world">) =>
  following(
    Effect.gen(function* () {
      const answers = yield* Effect.result(search(world, "parcel"))
      if (answers._tag === "Success") assert.deepStrictEqual(answers.success, [])
      else assert.include(String(Reflect.get(answers.failure, "reason")), "search_index_not_ready")
      yield* followsDatabase(world, first)
    })
  )

const live = 60_000
const onACluster = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, PostgresFixtures.migratedFolder, { local: true })

it.live(
  "an index is rebuilt when the database was set back and has continued since",
  () =>
    onACluster(
      Effect.gen(function* () {
        const state = yield* restoreBackup(losesAnAppeal)
        yield* state.withoutIndex(passTransactions)
        yield* servesWhatIsThere(state)
      })
    ),
  live
)

it.live(
  "an index that was only scanned is rebuilt when the database was set back and has continued",
  () =>
    onACluster(
      Effect.gen(function* () {
        const state = yield* restoreBackup((state) =>
          Effect.gen(function* () {
            yield* state.withoutIndex(addAppeal(state.world, ["a parcel that the backup does not have"]))
            fs.rmSync(state.index, { recursive: true, force: true })
            yield* state.following(caughtUp)
          })
        )
        yield* state.withoutIndex(passTransactions)
        yield* servesWhatIsThere(state)
      })
    ),
  live
)

it.live(
  "an index is kept when the database is the one that it followed",
  () =>
    onACluster(
      Effect.gen(function* () {
        const { first, following, index, withoutIndex, world } = yield* restoreBackup(() => Effect.void)
        const later = yield* withoutIndex(addAppeal(world, ["an invoice"]))
        const file = () => fs.statSync(path.join(index, "index/evidence-1.sqlite")).ino
        const before = file()
        yield* following(
          Effect.gen(function* () {
            // Answered immediately.
            assert.deepStrictEqual(yield* search(world, "refund"), [first])
            yield* caughtUp
            assert.deepStrictEqual(yield* search(world, "invoice"), [later])
          })
        )
        assert.strictEqual(file(), before)
      })
    ),
  live
)

describe.skipIf(isOpenSearchMissing)("the OpenSearch index of a database that was set back", () => {
  layer(OpenSearchFixtures.at, { excludeTestServices: true, timeout: "240 seconds" })((it) => {
    it.effect(
      "an OpenSearch index is rebuilt when the database was set back and has continued since",
      () =>
        onACluster(
          Effect.gen(function* () {
            const { url } = yield* OpenSearchAt
            const settings = settingsOf(url, yield* OpenSearchFixtures.prefix)
            const state = yield* restoreBackup(losesAnAppeal, () => sharedSearchLayer(settings))
            yield* state.withoutIndex(passTransactions)
            yield* servesWhatIsThere(state)
          })
        ),
      live * 2
    )

    it.effect(
      "an OpenSearch index is rebuilt when a backup was restored into another PostgreSQL",
      () =>
        onACluster(
          Effect.gen(function* () {
            const { url } = yield* OpenSearchAt
            const settings = settingsOf(url, yield* OpenSearchFixtures.prefix)
            const followingIn =
              (folder: string): Restored["following"] =>
              (work) =>
                Effect.provide(
                  work,
                  sharedSearchLayer(settings).pipe(Layer.provideMerge(clusterIn(folder))),
                  {
                    local: true
                  }
                )
            const from = (yield* PreparedFolder).path
            const to = yield* temporaryFolder
            const file = path.join(yield* temporaryFolder, "rapport.gz")
            const state = yield* followingIn(from)(
              Effect.gen(function* () {
                const world = yield* newWorld
                const first = yield* addAppeal(world, ["refund"])
                yield* caughtUp
                yield* backUp(file, null)
                yield* addLost(world)
                return { world, first }
              })
            )
            yield* Effect.provide(restore(file), Layer.merge(clusterIn(to), temporaryFileStorage), {
              local: true
            })
            yield* servesWhatIsThere({ ...state, following: followingIn(to) })
          })
        ),
      live * 2
    )
  })
})

const layerFollowing = (index: string, postgres: InstalledPostgres, name: string) =>
  embeddedSearchLayer(index).pipe(Layer.provideMerge(databaseOf(postgres, name)))

/** A database with one appeal and an index of it; a dump; then another appeal, which the dump does not hold. */
const dumped = Effect.gen(function* () {
  const from = yield* installedPostgres(yield* freePort)
  const index = yield* temporaryFolder
  yield* from.run("createdb", "one")
  const world = yield* Effect.provide(
    Effect.gen(function* () {
      yield* migrate
      // The ids of its transactions lie far ahead of those of a new cluster.
      yield* passTransactions
      return yield* newWorld
    }),
    databaseOf(from, "one"),
    { local: true }
  )
  const dump = path.join(from.folder, "dump")
  const first = yield* Effect.provide(
    Effect.gen(function* () {
      yield* caughtUp
      const first = yield* addAppeal(world, ["refund"])
      yield* caughtUp
      yield* from.run("pg_dump", "-Fc", "-f", dump, "one")
      yield* addLost(world)
      return first
    }),
    layerFollowing(index, from, "one"),
    { local: true }
  )
  return { dump, first, from, index, world }
})

describe.skipIf(isPostgresMissing)("the index of a database from a dump", () => {
  it.live(
    "an index is rebuilt for a dump restored into another PostgreSQL, and follows its writes",
    () =>
      Effect.gen(function* () {
        const { dump, first, index, world } = yield* dumped
        const to = yield* installedPostgres(yield* freePort)
        yield* to.run("createdb", "two")
        yield* to.run("pg_restore", "-d", "two", dump)
        yield* Effect.provide(followsDatabase(world, first), layerFollowing(index, to, "two"), {
          local: true
        })
      }),
    120_000
  )

  it.live(
    "an index is rebuilt while the database is loaded again during service",
    () =>
      Effect.gen(function* () {
        const { dump, first, from, index, world } = yield* dumped
        yield* Effect.provide(
          Effect.gen(function* () {
            yield* caughtUp
            yield* from.run("pg_restore", "--clean", "--if-exists", "-d", "one", dump)
            yield* followsDatabase(world, first)
          }),
          layerFollowing(index, from, "one"),
          { local: true }
        )
      }),
    120_000
  )
})
