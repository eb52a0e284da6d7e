import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { requireMigrated } from "../../cli/CommandDatabase.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { migrate, migrateTo, pendingMigrations } from "./Migrations.ts"
import { requireSuitable } from "./SuitableDatabase.ts"

// docs/contract.md §12: "a program refuses a database with migrations that it does not know".
layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "60 seconds" })(
  "a database that a later version has migrated",
  (it) => {
    it.effect("is refused by name, by serve and by every command, and changed by none", () =>
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
      "is refused with the name %s of a relation of another program, and left unchanged: %s",
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

    it.effect("is refused by name where the role may not create the extension pg_trgm", () =>
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

    it.effect("is refused by name without the collations of ICU, and left unchanged", () =>
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

/** A row of `record_values`, as it is read. */
const row = (record: number, field: number, own: object) => ({
  record,
  field,
  text: null,
  folded: null,
  number: null,
  isUnique: false,
  ...own
})

const BEFORE_RECORD_VALUES = "0196_folded_logins"

layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "60 seconds" })(
  "a database with records of custom data",
  (it) => {
    it.effect("gets their values indexed by migration 0210", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* emptied
        const all = yield* pendingMigrations
        yield* migrateTo(all.slice(0, all.indexOf(BEFORE_RECORD_VALUES) + 1))
        const [instance] = yield* sql<{
          readonly id: string
        }>`insert into instances (name) values ('Ї') returning id::text as id`
        const instanceId = instance?.id ?? ""
        const types = ["STRING", "TEXT", "INTEGER", "BOOLEAN", "DATE", "DATETIME"]
        const fields = types.map((type, i) => ({ id: i + 1, name: type, type, unique: i === 0 }))
        yield* sql`insert into custom_models (instance_id, name, fields)
          values (${instanceId}::text::int8, 'm', ${JSON.stringify(fields)}::text::json)`
        const values = [
          { 1: "\u0407", 2: "П\u2019ять", 3: 7, 4: true, 5: "1970-01-03", 6: "1970-01-01T00:00:01.500Z" },
          { 1: "\u0406\u0308" },
          {}
        ]
        yield* sql`insert into custom_records (instance_id, model_id, values)
          select instance_id, id, sent from custom_models, jsonb_array_elements(${JSON.stringify(values)}::text::jsonb) sent`
        yield* sql`insert into custom_values (instance_id, model_id, record_id, field_id, txt)
          select instance_id, model_id, id, 1, values->>'1' from custom_records where values ? '1'`
        yield* migrate
        const found =
          yield* sql`select record_id::int4 as record, field_id::int4 as field, text, folded, number,
          unique_key is not null as "isUnique" from record_values order by 1, 2`
        assert.deepStrictEqual(found, [
          row(1, 1, { text: "\u0407", folded: "\u0457", isUnique: true }),
          row(1, 2, { text: "П\u2019ять", folded: "п'ять" }),
          row(1, 3, { number: 7 }),
          row(1, 4, { number: 1 }),
          row(1, 5, { number: 2 }),
          row(1, 6, { number: 1_500 }),
          // The same text in another form, which an earlier version took for another one.
          row(2, 1, { text: "\u0407", folded: "\u0457" })
        ])
        const former =
          yield* sql`select to_regclass('custom_values') as one, to_regclass('custom_changes') as other`
        assert.deepStrictEqual(former, [{ one: null, other: null }])
      })
    )
  }
)
