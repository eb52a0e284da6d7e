// Checks that the service can use a database (docs/operations.md, "What the database needs").
import { Effect, Schema } from "effect"
import { type Migrator, SqlClient, SqlError } from "effect/sql"
import { rowsOf } from "../sql/Query.ts"
import { existingObject } from "../sql/SqlFailure.ts"

/** The database does not support the tables of the service and is left unchanged. The process exits with 1. */
export class DatabaseUnsuitable extends Schema.TaggedError<DatabaseUnsuitable>()("DatabaseUnsuitable", {
  message: Schema.String
}) {}

export const POSTGRES_VERSION_MIN = 150_000

const Found = Schema.Struct({
  version: Schema.Int,
  versionText: Schema.String,
  encoding: Schema.String,
  hasCollations: Schema.Boolean,
  hasTrigrams: Schema.Boolean,
  mayCreateTrigrams: Schema.Boolean,
  role: Schema.String,
  database: Schema.String,
  hasForeignMigrations: Schema.Boolean
})
const foundRows = rowsOf(Found)

/** Fails if the server lacks a requirement of the migrations, or another program has a relation `migrations`. */
export const requireSuitable: Effect.Effect<
  void,
  DatabaseUnsuitable | SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* foundRows.get(sql`select current_setting('server_version_num')::int4 as version,
          current_setting('server_version') as "versionText", current_setting('server_encoding') as encoding,
          exists (select from pg_collation where collname = 'uk-x-icu') as "hasCollations",
          exists (select from pg_available_extensions where name = 'pg_trgm') as "hasTrigrams",
          exists (select from pg_extension where extname = 'pg_trgm')
            or has_database_privilege(current_database(), 'CREATE') as "mayCreateTrigrams",
          current_user::text as role, current_database()::text as database,
          to_regclass('migrations') is not null and not exists (select from pg_attribute
            where attrelid = to_regclass('migrations') and attname = 'migration_id') as "hasForeignMigrations"`)
  const message = complaintOf(found)
  if (message !== undefined) return yield* new DatabaseUnsuitable({ message })
})

const complaintOf = (found: typeof Found.Type): string | undefined => {
  if (found.version < POSTGRES_VERSION_MIN)
    return `PostgreSQL ${found.versionText} is too old: version 15 or newer is needed`
  if (!found.hasCollations)
    return "PostgreSQL has no ICU collations (uk-x-icu is missing): use a server that is built with ICU"
  if (found.encoding !== "UTF8")
    return `the encoding of the database is ${found.encoding}: create it with the encoding UTF8`
  if (!found.hasTrigrams)
    return "PostgreSQL has no extension pg_trgm: install its contrib modules (on Debian they are part of postgresql)"
  if (!found.mayCreateTrigrams)
    return `the extension pg_trgm is missing and ${found.role} may not create it: grant CREATE on the database ${found.database} to ${found.role}, or run "create extension pg_trgm" there as a superuser`
  return found.hasForeignMigrations ? otherProgram('relation "migrations" already exists') : undefined
}

const otherProgram = (object: string): string =>
  `the database has an object of another program: ${object}. Nothing was changed: give the service a database of its own`

/** Fails with DatabaseUnsuitable if a migration finds an object of another program with the same name. */
export const orUnsuitable = <A, E, R>(
  migrating: Effect.Effect<A, E | Migrator.MigrationError, R>
): Effect.Effect<A, E | Migrator.MigrationError | DatabaseUnsuitable, R> =>
  Effect.mapError(migrating, (error) => {
    const cause = isMigrationError(error) ? error.cause : error
    const object = SqlError.isSqlError(cause) ? existingObject(cause) : undefined
    return object === undefined ? error : new DatabaseUnsuitable({ message: otherProgram(object) })
  })

const isMigrationError = (error: unknown): error is Migrator.MigrationError =>
  error instanceof Error && "_tag" in error && error._tag === "MigrationError"
