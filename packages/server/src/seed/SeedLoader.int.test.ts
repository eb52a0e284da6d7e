import { assert, describe, layer } from "@effect/vitest"
import { Passwords } from "@rapport/core/access/Passwords.ts"
import { Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { instancesLayer } from "../wiring/Instances.ts"
import { commandLayer } from "../postgres/connection/Database.ts"
import { EmbeddedPostgres } from "../postgres/connection/EmbeddedPostgres.ts"
import { PostgresFixtures } from "../testing/PostgresFixtures.ts"
import { selectedCount } from "../postgres/sql/Query.ts"
import { findSeedKind, seed } from "./SeedLoader.ts"

// Seeds run on connections without deadlines: the second one waits as long as it takes.
const makeMigratedLayer = () =>
  instancesLayer.pipe(
    Layer.provideMerge(Layer.unwrap(Effect.map(EmbeddedPostgres, commandLayer))),
    Layer.provide(Layer.fresh(PostgresFixtures.migrated))
  )

const small = { kind: "small", adminLogin: undefined, adminPassword: undefined } as const

const count = (query: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    selectedCount(sql.unsafe(`select (${query})::float8 as count`))
  )

const passwordOf = (login: string, password: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decode = Schema.decodeUnknownEffect(
      Schema.Array(Schema.Struct({ hash: Schema.NullOr(Schema.String) }))
    )
    const [user] = yield* decode(yield* sql`select password_hash as hash from users where login = ${login}`)
    return yield* (yield* Passwords).verify(Redacted.make(password), user?.hash ?? null)
  })

// contract §11.
describe("the seed", () => {
  layer(makeMigratedLayer(), { excludeTestServices: true })("small", (it) => {
    it.effect("the seed runs once when several processes start together on an empty database", () =>
      Effect.gen(function* () {
        const made = yield* Effect.all([seed(small), seed(small), seed(small)], { concurrency: 3 })
        assert.deepStrictEqual(made.map((one) => one.made).toSorted(), [false, false, true])
        assert.strictEqual(yield* findSeedKind, "small")
      })
    )

    it.effect("the small seed lets every demo login in with rapport-demo", () =>
      Effect.gen(function* () {
        for (const login of ["administrator", "operator", "qa_specialist", "other.administrator"]) {
          assert.isTrue(yield* passwordOf(login, "rapport-demo"), login)
        }
        assert.strictEqual(yield* count("select count(*) from users where password_hash is not null"), 9)
      })
    )

    it.effect("the seed leaves the next ids free", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const highest = yield* count("select max(id) from clients")
        yield* sql`insert into clients (instance_id, name) values (1, 'Нова')`
        assert.strictEqual(yield* count("select id from clients where name = 'Нова'"), highest + 1)
        assert.isAbove(yield* count("select last_ticket_number from instances where id = 1"), 0)
        assert.strictEqual(yield* count("select count(*) from ticket_statuses where instance_id = 2"), 5)
      })
    )
  })

  layer(makeMigratedLayer(), { excludeTestServices: true })(
    "small with an administrator of one's own",
    (it) => {
      it.effect("the seed renames its administrator and sets the password", () =>
        Effect.gen(function* () {
          yield* seed({ kind: "small", adminLogin: "root", adminPassword: Redacted.make("таємниця-1234") })
          assert.isTrue(yield* passwordOf("root", "таємниця-1234"))
          assert.isFalse(yield* passwordOf("root", "rapport-demo"))
          assert.strictEqual(yield* count("select count(*) from users where login = 'administrator'"), 0)
        })
      )
    }
  )

  layer(makeMigratedLayer(), { excludeTestServices: true })("empty", (it) => {
    it.effect("an empty seed without its administrator's settings is refused with their names", () =>
      Effect.gen(function* () {
        const nobody = yield* Effect.flip(
          seed({ kind: "empty", adminLogin: undefined, adminPassword: undefined })
        )
        assert.strictEqual(nobody._tag, "ConfigError")
        assert.include(nobody.message, "RAPPORT_ADMIN_LOGIN")
        const noPassword = yield* Effect.flip(
          seed({ kind: "empty", adminLogin: "root", adminPassword: undefined })
        )
        assert.include(noPassword.message, "RAPPORT_ADMIN_PASSWORD")
      })
    )

    it.effect("an empty seed creates only instance 1 and its administrator", () =>
      Effect.gen(function* () {
        yield* seed({ kind: "empty", adminLogin: "root", adminPassword: Redacted.make("password-1") })
        assert.strictEqual(yield* count("select id from instances"), 1)
        assert.strictEqual(yield* count("select count(*) from users"), 1)
        assert.isTrue(yield* passwordOf("root", "password-1"))
        assert.strictEqual(yield* count("select count(*) from ticket_statuses"), 5)
        assert.strictEqual(
          yield* count("select count(*) from user_access where roles = '{administrator}'"),
          1
        )
      })
    )
  })
})
