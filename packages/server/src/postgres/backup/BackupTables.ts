// Reads the content of a backup in one snapshot: every table with its rows, and the sequences.
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type BackupSequence, BackupTable } from "./BackupFile.ts"
import { rowsOf, valuesOf } from "../sql/Query.ts"

/** Written by the migrations. */
const WITHOUT = ["migrations"]

/** Rows of one fetch. 128 of the largest rows have about 128 MiB. */
const FETCH_ROWS = 128

const tableRows = rowsOf(BackupTable)
const textRows = valuesOf(Schema.String)
const sequenceRows = rowsOf(Schema.Struct({ name: Schema.String, last: Schema.String }))

/** The tables of the schema of the service, by name. */
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

/** Sets the text form of values, independent of the settings of the server. */
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

/** Runs reads in one snapshot, taken at the start. */
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
  const migrations = yield* textRows.all(
    sql`select lpad(migration_id::text, 4, '0') || '_' || name from migrations order by migration_id`
  )
  const postgres = yield* textRows.get(sql`select current_setting('server_version')`)
  return { migrations, postgres }
})

/** Passes the rows of a table to `take` in batches. Used within inSnapshot. */
export const readRows = Effect.fnUntraced(function* <E, R>(
  { name }: BackupTable,
  take: (rows: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`declare backup_rows no scroll cursor for select t::text as row from ${sql(name)} t`
  const step = Effect.gen(function* () {
    const found = yield* textRows.all(sql.unsafe(`fetch ${FETCH_ROWS} from backup_rows`))
    if (found.length > 0) yield* take(found)
    return found.length
  })
  yield* Effect.repeat(step, { until: (count) => count === 0 })
  yield* sql`close backup_rows`
})

/** To be read after the rows: sequences are not part of a snapshot and must not be behind its ids. */
export const readSequences: Effect.Effect<
  ReadonlyArray<BackupSequence>,
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sequences = yield* textRows.all(sql`select sequencename from pg_sequences
    where schemaname = current_schema() order by sequencename`)
  // The view lacks the value of a sequence that was set and not used since, for example by a seed.
  const places = yield* Effect.forEach(sequences, (name) =>
    sequenceRows.find(sql`select ${name}::text as name, last::text from (
      select case when is_called then last_value else last_value - 1 end as last from ${sql(name)}) place
      where last > 0`)
  )
  return places.flatMap((place) => place ?? [])
})
