// What a backup holds, read in one snapshot: every table of the schema with its rows, and where its sequences are.
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type BackupSequence, BackupTable } from "./BackupFile.ts"
import { rowsOf } from "../sql/Query.ts"

/** Made by the migrations themselves. */
const WITHOUT = ["migrations"]

/** Rows of one message from the database: 128 of the largest are about as many MiB. */
const ROWS_AT_ONCE = 128

const tableRows = rowsOf(BackupTable)
const namedRows = rowsOf(Schema.Struct({ name: Schema.String }))
const sequenceRows = rowsOf(Schema.Struct({ name: Schema.String, last: Schema.String }))
const versionRows = rowsOf(Schema.Struct({ version: Schema.String }))
const textRows = rowsOf(Schema.Struct({ row: Schema.String }))

/** The tables of the schema in which the service lives, in the order of their names. */
export const backupTables: Effect.Effect<
  ReadonlyArray<BackupTable>,
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* tableRows.all(sql`select class.relname as name,
      json_agg(json_build_object('name', attribute.attname, 'isGenerated', attribute.attgenerated <> '')
        order by attribute.attnum) as columns
    from pg_class class join pg_attribute attribute on attribute.attrelid = class.oid
    where class.relnamespace = current_schema()::regnamespace and class.relkind = 'r' and class.relname <> all(${WITHOUT}::text[])
      and attribute.attnum > 0 and not attribute.attisdropped
    group by class.relname order by class.relname`)
})

/** How values are written and read, whatever the server is set to. */
export const plainTexts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const [name, value] of [
    ["DateStyle", "ISO, YMD"],
    ["IntervalStyle", "postgres"],
    ["TimeZone", "UTC"],
    ["extra_float_digits", "1"],
    ["bytea_output", "hex"]
  ])
    yield* sql`select set_config(${name}, ${value}, true)`
})

/** Runs a reading in one state of the database: what was committed before it begins, and nothing later. */
export const inSnapshot = Effect.fnUntraced(function* <A, E, R>(reading: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set transaction isolation level repeatable read, read only`
      yield* plainTexts
      return yield* reading
    })
  )
})

/** The migrations that the database has, and the version of its server. */
export const databaseVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* namedRows.all(
    sql`select lpad(migration_id::text, 4, '0') || '_' || name as name from migrations order by migration_id`
  )
  const { version } = yield* versionRows.get(sql`select current_setting('server_version') as version`)
  return { migrations: found.map(({ name }) => name), postgres: version }
})

/** Gives the rows of a table to `take`, some at a time; within inSnapshot. */
export const readRows = Effect.fnUntraced(function* <E, R>(
  { name }: BackupTable,
  take: (rows: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`declare backup_rows no scroll cursor for select t::text as row from ${sql(name)} t`
  const step = Effect.gen(function* () {
    const found = yield* textRows.all(sql.unsafe(`fetch ${ROWS_AT_ONCE} from backup_rows`))
    if (found.length > 0) yield* take(found.map(({ row }) => row))
    return found.length
  })
  yield* Effect.repeat(step, { until: (count) => count === 0 })
  yield* sql`close backup_rows`
})

/** Read after the rows: sequences do not belong to a snapshot, and are never behind the ids in it then. */
export const readSequences: Effect.Effect<
  ReadonlyArray<BackupSequence>,
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sequences = yield* namedRows.all(sql`select sequencename as name from pg_sequences
    where schemaname = current_schema() order by sequencename`)
  // The view has no place of a sequence that was set and not used since, as seeds and restores leave them.
  const places = yield* Effect.forEach(sequences, ({ name }) =>
    sequenceRows.find(sql`select ${name}::text as name, last::text from (
      select case when is_called then last_value else last_value - 1 end as last from ${sql(name)}) place
      where last > 0`)
  )
  return places.flatMap((place) => place ?? [])
})
