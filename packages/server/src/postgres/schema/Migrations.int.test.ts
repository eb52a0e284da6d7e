import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { requireMigrated } from "../../cli/CommandDatabase.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { migrate } from "./Migrations.ts"
import { requireSuitable } from "./SuitableDatabase.ts"

// contract §11: "A database with migrations that the program does not know".
layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "60 seconds" })(
  "a database that a later version has migrated",
  (it) => {
    it.effect("a database of a later version is refused by every command and left unchanged", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* migrate, [])
        yield* requireMigrated
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into migrations (migration_id, name) values (9000, 'of_tomorrow')`
        for (const error of [yield* Effect.flip(migrate), yield* Effect.flip(requireMigrated)]) {
          assert.strictEqual(error._tag, "DatabaseNewer")
          assert.include(error.message, "9000_of_tomorrow")
          assert.notInclude(error.message, "\n")
        }
      })
    )
  }
)

const emptied = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`drop schema public cascade`.pipe(Effect.andThen(sql`create schema public`))
)
/** Every object of the database that a program made, with its columns. */
const objects = Effect.flatMap(
  SqlClient.SqlClient,
  (
    sql
  ) => sql`select c.relname, c.relkind, a.attname from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'public'::regnamespace
    union all select proname, 'p', null from pg_proc where pronamespace = 'public'::regnamespace order by 1, 2, 3`
)

// docs/operations.md, "What the database needs".
layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "60 seconds" })(
  "a database that the migrations do not fit",
  (it) => {
    it.effect.each([
      ["users", "create table users (id int primary key, nick text)"],
      ["clients", "create view clients as select 1 as id"],
      ["migrations", "create table migrations (id serial primary key, file text)"],
      ["migrations", "create view migrations as select 'Їжак' as name"]
    ] as const)(
      "a database with the relation %s of another program is refused and left unchanged: %s",
      ([name, made]) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* emptied
          yield* sql.unsafe(made)
          const before = yield* objects
          const refused = yield* Effect.flip(migrate)
          assert.strictEqual(refused._tag, "DatabaseUnsuitable")
          assert.include(refused.message, `"${name}"`)
          assert.notInclude(refused.message, "\n")
          assert.deepStrictEqual(yield* objects, before)
        })
    )

    it.effect("a database whose role may not create the extension pg_trgm is refused", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* emptied
        yield* sql`create role weak`
        const refused = yield* Effect.flip(
          sql.withTransaction(Effect.andThen(sql`set local role weak`, requireSuitable))
        )
        assert.strictEqual(refused._tag, "DatabaseUnsuitable")
        assert.include(refused.message, "pg_trgm")
        assert.include(refused.message, "grant CREATE on the database postgres to weak")
        yield* sql`create extension pg_trgm`
        yield* sql.withTransaction(Effect.andThen(sql`set local role weak`, requireSuitable))
      })
    )

    it.effect("a database without the collations of ICU is refused and left unchanged", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* emptied
        yield* sql`delete from pg_collation where collname = 'uk-x-icu'`
        const refused = yield* Effect.flip(migrate)
        assert.strictEqual(refused._tag, "DatabaseUnsuitable")
        assert.include(refused.message, "ICU")
        assert.deepStrictEqual(yield* objects, [])
      })
    )
  }
)
