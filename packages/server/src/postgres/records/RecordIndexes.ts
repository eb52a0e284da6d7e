// Makes the indexes of custom data that the database lacks, while records are read and written: a migration would lock their table
// for as long as that takes. Until an index is there, lists are slower and just as right.
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { formerRecordIndexes, recordIndexes } from "../schema/0126_record_indexes.ts"
import { lettersListed } from "../schema/0171_record_letters.ts"
import { rowsOf } from "../sql/Query.ts"

/** One process builds; the others ask again after so long, for it may have ended. */
const ASKED_AGAIN = "30 seconds"
const BUILD_LOCK = 7204

const lockRows = rowsOf(Schema.Struct({ locked: Schema.Boolean }))
const indexRows = rowsOf(Schema.Struct({ name: Schema.String, valid: Schema.Boolean }))

/** By a client without deadlines. */
export const buildRecordIndexes: Effect.Effect<void, never, SqlClient.SqlClient> = Effect.gen(function* () {
  while (!(yield* builtIndexes)) yield* Effect.sleep(ASKED_AGAIN)
})

/** Whether the database has all of them. */
const builtIndexes = Effect.scoped(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { former, missing } = yield* lacking(sql)
    if (missing.length === 0 && former.length === 0) return true
    const connection = yield* sql.reserve
    // Asked for without waiting: a build would wait for a transaction that waits for its lock.
    const [{ locked } = { locked: false }] = yield* lockRows.all(
      connection.execute(`select pg_try_advisory_lock(${BUILD_LOCK}) as locked`, [], undefined)
    )
    if (!locked) return false
    yield* Effect.addFinalizer(() =>
      Effect.ignore(connection.executeRaw(`select pg_advisory_unlock(${BUILD_LOCK})`, []))
    )
    const left = yield* lacking(sql)
    for (const { isBroken, name, on } of left.missing) {
      if (isBroken) yield* sql`drop index concurrently if exists ${sql(name)}`
      yield* Effect.logInfo(`building the index ${name}`)
      yield* sql`create index concurrently if not exists ${sql(name)} ${sql.literal(on)}`
    }
    if (left.missing.length > 0) yield* sql`${sql.literal(lettersListed)}`
    for (const name of left.former) yield* sql`drop index concurrently if exists ${sql(name)}`
    return true
  })
).pipe(
  Effect.catch((error) =>
    Effect.as(Effect.logWarning("an index of custom data was not built; it is tried again", error), false)
  )
)

/** Indexes that are not there, or whose build was broken off, and those that nobody asks any more. */
const lacking = (sql: SqlClient.SqlClient) =>
  Effect.map(
    indexRows.all(sql`select class.relname as name, index.indisvalid as valid
      from pg_index index join pg_class class on class.oid = index.indexrelid
      where index.indrelid = 'custom_values'::regclass`),
    (rows) => {
      const found = new Map(rows.map(({ name, valid }) => [name, valid]))
      return {
        missing: recordIndexes.flatMap(({ name, on }) =>
          found.get(name) === true ? [] : [{ name, on, isBroken: found.has(name) }]
        ),
        former: formerRecordIndexes.filter((name) => found.has(name))
      }
    }
  )
