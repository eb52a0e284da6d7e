// Identity and epoch of the database. An index compares both to detect that the database was replaced or restored.
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { orUnavailable, rowsOf, valuesOf } from "../sql/Query.ts"

/** SQL of the identity of cluster and database. A copy of the files keeps it, a dump that is loaded elsewhere does not. */
export const identitySql = `(select system_identifier::text from pg_control_system()) || ':' ||
  (select oid::text from pg_database where datname = current_database())`

const epochRows = valuesOf(Schema.String)
const identityRows = rowsOf(Schema.Struct({ here: Schema.String, kept: Schema.NullOr(Schema.String) }))

/** Starts a new epoch. Earlier backups of the database lack it. */
export const newEpoch: Effect.Effect<string, SourceUnavailable, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* epochRows.get(
      sql`insert into database_epochs (epoch) values (gen_random_uuid()) returning epoch::text`
    )
  }
).pipe(orUnavailable)

/** Starts an epoch every hour, and deletes epochs older than every index that still follows. */
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
 * Returns true if the database was loaded from a dump of another one. Then it deletes the outbox, whose order is the transaction ids of
 * the other cluster. Every index detects the new identity and is rebuilt.
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
        sql`delete from projection_statuses`,
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
