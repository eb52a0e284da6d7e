// The index of a database that was loaded from a dump with pg_restore, into another or the same place (contract §11).
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as path from "node:path"
import { poolLayer } from "../postgres/connection/Database.ts"
import { migrate } from "../postgres/schema/Migrations.ts"
import { installedPostgres, type InstalledPostgres, isPostgresMissing } from "../testing/InstalledPostgres.ts"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { addLost, followsDatabase, passTransactions } from "../testing/LostAppealFixtures.ts"
import { addAppeal, caughtUp, newWorld } from "../testing/ProjectionFixtures.ts"
import { freePort } from "../testing/SharedDatabaseFixtures.ts"
import { embeddedSearchLayer } from "../testing/SearchLayers.ts"

const databaseOf = ({ port }: InstalledPostgres, name: string) =>
  poolLayer({ url: Redacted.make(`postgres://rapport@127.0.0.1:${port}/${name}`) }, 8)

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
