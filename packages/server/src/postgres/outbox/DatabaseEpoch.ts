// Which database this is, and which state of it: what an index compares itself with to find that a restore has gone behind it.
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { orUnavailable, rowsOf } from "../sql/Query.ts"

/** A cluster and a database in it, as SQL. A copy of the files keeps both, a dump loaded elsewhere neither. */
export const identitySql = `(select system_identifier::text from pg_control_system()) || ':' ||
  (select oid::text from pg_database where datname = current_database())`

const epochRows = rowsOf(Schema.Struct({ epoch: Schema.String }))
const identityRows = rowsOf(Schema.Struct({ here: Schema.String, kept: Schema.NullOr(Schema.String) }))

/** A new epoch: every state of the database from before this moment lacks it. */
export const newEpoch: Effect.Effect<string, SourceUnavailable, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const { epoch } = yield* epochRows.get(
      sql`insert into database_epochs (epoch) values (gen_random_uuid()) returning epoch::text as epoch`
    )
    return epoch
  }
).pipe(orUnavailable)

/** Keeps the newest epoch younger than an hour, and forgets those of which no index can be that still follows. */
export const renewEpoch: Effect.Effect<void, SourceUnavailable, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`with old as (delete from database_epochs
        where created_at < now() - interval '400 days')
      insert into database_epochs (epoch) select gen_random_uuid()
      where not exists (select 1 from database_epochs where created_at > now() - interval '1 hour')`
  }
).pipe(orUnavailable)

/**
 * In a database that was loaded from the dump of another one, drops what only made sense there: outbox entries are
 * ordered by the transaction ids of the cluster they were written in, and here those may lie in the future for ever.
 * Every index then sees another database, too, and is rebuilt. True if it did.
 */
export const adoptDatabase: Effect.Effect<boolean, SourceUnavailable, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const identity = sql.literal(identitySql)
    const adopt = Effect.gen(function* () {
      yield* sql`insert into database_identity (identity) select ${identity} on conflict do nothing`
      const { here, kept } = yield* identityRows.get(
        sql`select identity as kept, ${identity} as here from database_identity for update`
      )

      if (here === kept) return false
      const gone: ReadonlyArray<Statement.Statement<unknown>> = [
        sql`delete from outbox`,
        sql`delete from outbox_swept`,
        sql`delete from projection_standings`,
        sql`delete from projection_leases`,
        sql`update database_identity set identity = ${identity}`
      ]
      yield* Effect.forEach(gone, (statement) => statement, { discard: true })
      return true
    })
    const adopted = yield* sql.withTransaction(adopt)
    if (adopted) yield* Effect.logWarning("the database was restored from another one: indexes are rebuilt")
    return adopted
  }
).pipe(orUnavailable)
