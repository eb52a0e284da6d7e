import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { unavailableOrDie, StatementFailed } from "./SqlFailure.ts"

const live = { excludeTestServices: true, timeout: "60 seconds" } as const

/** The outcome of a statement: a value, the reason of a failure, or the SQLSTATE of a defect. */
const endOf = (statement: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(statement), (exit) => {
    if (Exit.isSuccess(exit)) return "a value"
    const found: unknown = Cause.squash(exit.cause)
    if (found instanceof StatementFailed) return `defect ${found.sqlState}`
    return `failure ${String(Reflect.get(Object(found), "reason"))}`
  })

const outcomeOf = (work: Effect.Effect<unknown, SqlError.SqlError | "refused">) =>
  endOf(Effect.catchIf(work, SqlError.isSqlError, unavailableOrDie))

/** What a SQLSTATE means. */
const meanings: ReadonlyArray<readonly [string, states: string]> = [
  [
    "failure database_unavailable",
    `08000 08001 08003 08004 08006 08007 08P01 53000 53200 53300 53400 57000 57P01 57P02 57P03 57P04 57P05
      58000 58030 58P01 58P02 40001 40P01 40003 55006 25006`
  ],
  ["failure storage_full", "53100"],
  ["failure timeout", "57014 55P03"],
  [
    "defect",
    `0A000 21000 22001 22003 22007 22012 22021 22023 22P02 22P05 23502 23503 23505 23514 23P01 25001 25P01 25P02 26000
      34000 40002 42501 42601 42703 42883 42P01 42P18 54000 54001 P0001 XX000 XX001`
  ]
]

layer(PostgresFixtures.migrated, live)("statements that a real PostgreSQL refuses", (it) => {
  it.effect.each(meanings)("a refused statement means %s: %s", ([meaning, states]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const state of states.split(/\s+/u)) {
        const raise = sql.unsafe(`do $$ begin raise exception 'no' using errcode = '${state}'; end $$`)
        const end = yield* outcomeOf(raise)
        assert.strictEqual(end, meaning === "defect" ? `defect ${state}` : meaning, state)
      }
    })
  )

  it.effect("wrong statements are defects, and a lost connection is unavailable", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [statement, end] of [
        ["select 3000000000::int8::int4", "defect 22003"],
        ["select 'olena'::text::int4", "defect 22P02"],
        ["select titel from appeals", "defect 42703"],
        ["insert into users (id) values (null)", "defect 23502"],
        ["select pg_terminate_backend(pg_backend_pid())", "failure database_unavailable"],
        ["select 1", "a value"]
      ] as const)
        assert.strictEqual(yield* outcomeOf(sql.unsafe(statement)), end, statement)
    })
  )

  it.effect("a transaction whose connection is lost fails as unavailable at any depth", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ending = sql`select pg_terminate_backend(pg_backend_pid())`
      const refusedAfter = Effect.andThen(Effect.ignore(ending), Effect.fail("refused" as const))
      assert.deepStrictEqual(
        {
          inside: yield* outcomeOf(sql.withTransaction(ending)),
          nested: yield* outcomeOf(sql.withTransaction(sql.withTransaction(ending))),
          nestedAndCaught: yield* outcomeOf(
            sql.withTransaction(Effect.andThen(Effect.ignore(sql.withTransaction(ending)), sql`select 1`))
          ),
          refused: yield* outcomeOf(sql.withTransaction(refusedAfter)),
          nestedAndRefused: yield* outcomeOf(sql.withTransaction(sql.withTransaction(refusedAfter))),
          after: yield* outcomeOf(sql.withTransaction(sql`select 1`))
        },
        {
          inside: "failure database_unavailable",
          nested: "failure database_unavailable",
          nestedAndCaught: "failure database_unavailable",
          refused: "failure undefined",
          nestedAndRefused: "failure undefined",
          after: "a value"
        }
      )
    })
  )
})
