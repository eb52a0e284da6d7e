// Loads the rows of a backup into an empty database, in one transaction.
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { BackupSequence, BackupTable } from "./BackupFile.ts"
import { holdAll } from "../delivery/DeliveriesOnHold.ts"
import { migrateTo } from "../schema/Migrations.ts"
import { rowsOf, selectedCount } from "../sql/Query.ts"
import { backupTables, plainTexts } from "./BackupTables.ts"

/** The backup does not fit the database, which was not changed. */
export class RestoreRefused extends Schema.TaggedError<RestoreRefused>()("RestoreRefused", {
  message: Schema.String
}) {}

/** Serializes parallel restores: the second one finds the tables of the first. */
const RESTORE_LOCK = 7204

const constraintRows = rowsOf(
  Schema.Struct({ table: Schema.String, name: Schema.String, definition: Schema.String })
)

const refuseFilled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* selectedCount(sql`select count(*)::float8 as count from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S', 'f')`)
  if (tables > 0)
    return yield* new RestoreRefused({
      message:
        "the database holds tables already, and a restore overwrites nothing: name an empty one in DATABASE_URL, or an empty folder in RAPPORT_DATA_DIR"
    })
})

const columnsOf = ({ columns, name }: BackupTable) =>
  `${name} (${columns.map((column) => column.name).join(", ")})`

/** Fails unless the backup has the tables and columns of its migrations. */
const refuseOthers = Effect.fnUntraced(function* (tables: ReadonlyArray<BackupTable>) {
  const here = (yield* backupTables).map(columnsOf)
  const there = tables.map(columnsOf)
  const different = [
    ...there.filter((one) => !here.includes(one)),
    ...here.filter((one) => !there.includes(one))
  ]
  if (different.length > 0)
    return yield* new RestoreRefused({
      message: `the backup has other tables than its version makes: ${different[0]}`
    })
})

/** Without foreign keys, because rows are loaded in any order, and without triggers, because the backup contains their results. */
const withoutConstraints = Effect.fnUntraced(function* <A, E, R>(
  tables: ReadonlyArray<BackupTable>,
  load: Effect.Effect<A, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const constraints =
    yield* constraintRows.all(sql`select conrelid::regclass::text as "table", quote_ident(conname) as name,
        pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace order by 1, 2`)
  for (const { name, table } of constraints) yield* sql.unsafe(`alter table ${table} drop constraint ${name}`)
  for (const { name } of tables) yield* sql`alter table ${sql(name)} disable trigger user`
  const loaded = yield* load
  for (const { definition, name, table } of constraints)
    yield* sql.unsafe(`alter table ${table} add constraint ${name} ${definition}`)
  for (const { name } of tables) yield* sql`alter table ${sql(name)} enable trigger user`
  return loaded
})

/** Inserts rows in their text form. */
export const loadRows = Effect.fnUntraced(function* (
  { columns, name }: BackupTable,
  rows: ReadonlyArray<string>
) {
  const sql = yield* SqlClient.SqlClient
  const given = columns.filter(({ isGenerated }) => !isGenerated)
  const names = sql.csv(given.map((column) => sql`${sql(column.name)}`))
  const values = sql.csv(given.map((column) => sql`(value).${sql(column.name)}`))
  // Materialized, because the text would be parsed for each column.
  yield* sql`with loaded as materialized (select text::${sql(name)} as value from unnest(${rows}::text[]) as texts (text))
    insert into ${sql(name)} (${names}) overriding system value select ${values} from loaded`
})

export const loadSequence = Effect.fnUntraced(function* ({ last, name }: BackupSequence) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select setval(quote_ident(${name})::regclass, ${last}::text::int8)`
})

/** Ends the sessions and invitations of a restored backup (docs/operations.md, "After a restore"). */
const endSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sessions = yield* selectedCount(sql`with ended as (update refresh_families set revoked_at = now(),
      expires_at = least(expires_at, now()) where revoked_at is null and expires_at > now() returning 1)
    select count(*)::float8 as count from ended`)
  const invitations =
    yield* selectedCount(sql`with ended as (update users set invitation_hash = null, invitation_expires_at = null
      where invitation_hash is not null returning 1) select count(*)::float8 as count from ended`)
  return { sessions, invitations }
})

/**
 * In one transaction: creates the tables of the backup's version in an empty database, runs `load`, ends sessions and stops unsent
 * messages.
 */
export const intoEmpty = Effect.fnUntraced(function* <A, E, R>(
  backup: { readonly migrations: ReadonlyArray<string>; readonly tables: ReadonlyArray<BackupTable> },
  load: Effect.Effect<A, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const restoring = Effect.gen(function* () {
    yield* sql`select pg_advisory_xact_lock(${RESTORE_LOCK})`
    yield* refuseFilled
    yield* plainTexts
    yield* migrateTo(backup.migrations)
    yield* refuseOthers(backup.tables)
    // The backup replaces rows that migrations inserted.
    yield* sql`truncate ${sql.csv(backup.tables.map(({ name }) => sql`${sql(name)}`))}`
    const loaded = yield* withoutConstraints(backup.tables, load)
    return { loaded, ended: yield* endSessions, held: yield* holdAll }
  })
  const restored = yield* sql.withTransaction(restoring)
  yield* sql`analyze`
  return restored
})
