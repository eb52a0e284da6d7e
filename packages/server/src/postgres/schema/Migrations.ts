// The migrations in order. Each runs once, in the transaction of the migrator, in the first of several processes.
import { Effect, Schema } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { hasRow, rowsOf, selectedCount } from "../sql/Query.ts"
import { type DatabaseUnsuitable, orUnsuitable, requireSuitable } from "./SuitableDatabase.ts"
import { baseline } from "./0001_baseline.ts"

const run = Effect.fnUntraced(function* (statements: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})

const migrations = {
  "0001_baseline": run(baseline)
}

/**
 * Runs the missing migrations and returns them. Of processes that start together one migrates and the others wait (contract §11), so the
 * connection needs no lock timeout.
 */
export const migrate: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  DatabaseNewer | DatabaseUnsuitable | Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.suspend(() =>
  requireSuitable.pipe(Effect.andThen(refuseNewer), Effect.andThen(runMigrations(migrations)))
)

/**
 * One transaction, including the table of migrations, so that a failure leaves the database unchanged. The lock prevents that parallel
 * starts create that table twice.
 */
const runMigrations = Effect.fnUntraced(function* (loaded: Partial<typeof migrations>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.pipe(
    Effect.andThen(Migrator.make({})({ loader: Migrator.fromRecord(loaded), table: "migrations" })),
    sql.withTransaction
  )
}, orUnsuitable)

const MIGRATION_LOCK = 7_200_001

/**
 * Brings an empty database to the version that a backup was made of, with exactly these migrations (`NNNN_name`). Fails if one of them
 * is unknown.
 */
export const migrateTo = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>
): Effect.fn.Return<
  void,
  DatabaseNewer | DatabaseUnsuitable | Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
> {
  yield* requireSuitable
  const unknown = names.filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0)
    return yield* new DatabaseNewer({
      message: `the backup is of a later version of the program (${unknown.join(", ")}): restore it with that version`
    })
  yield* runMigrations(
    Object.fromEntries(Object.entries(migrations).filter(([name]) => names.includes(name)))
  )
})

/** A later version of the program has migrated the database. The process exits with 1. */
export class DatabaseNewer extends Schema.TaggedError<DatabaseNewer>()("DatabaseNewer", {
  message: Schema.String
}) {}

/** Fails if the database has unknown migrations (contract §11). */
export const refuseNewer: Effect.Effect<void, DatabaseNewer | SqlError.SqlError, SqlClient.SqlClient> =
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (!(yield* hasTable(sql))) return
    const known = Object.keys(migrations).map((name) => Number.parseInt(name, 10))
    const found =
      yield* nameRows.all(sql`select migration_id as id, name from migrations where migration_id <> all(${known}::int4[])
        order by migration_id`)
    if (found.length === 0) return
    const names = found.map(({ id, name }) => `${String(id).padStart(4, "0")}_${name}`).join(", ")
    return yield* new DatabaseNewer({
      message: `the database has migrations that this version does not know (${names}): start the version that made them`
    })
  })

/** Names of the migrations that the database lacks. */
export const pendingMigrations: Effect.Effect<
  ReadonlyArray<string>,
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const latest = (yield* hasTable(sql))
    ? yield* selectedCount(sql`select coalesce(max(migration_id), 0)::float8 as count from migrations`)
    : 0
  return Object.keys(migrations).filter((name) => Number.parseInt(name, 10) > latest)
})

const nameRows = rowsOf(Schema.Struct({ id: Schema.Int, name: Schema.String }))
const hasTable = (sql: Sql) => hasRow(sql`select 1 where to_regclass('migrations') is not null`)
