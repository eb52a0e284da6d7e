// The index of a database that was really set back: the files of the cluster were restored and the index was not (contract §11).
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryFileStorage } from "../testing/FileFixtures.ts"
import { backUp, restore } from "../postgres/backup/Backup.ts"
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
import { addLost, followsDatabase, passTransactions } from "../testing/LostAppealFixtures.ts"
import { addAppeal, caughtUp, newWorld, search, type World } from "../testing/ProjectionFixtures.ts"
import { embeddedSearchLayer, sharedSearchLayer } from "../testing/SearchLayers.ts"

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
        const { first, following, index, world } = yield* restoreBackup(() => Effect.void)
        const file = () => fs.statSync(path.join(index, "index/evidence-1.sqlite")).ino
        const before = file()
        yield* following(
          Effect.gen(function* () {
            // Answered immediately.
            assert.deepStrictEqual(yield* search(world, "refund"), [first])
            yield* caughtUp
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
