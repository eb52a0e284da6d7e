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

layer(PostgresFixtures.migrated, live)("statements that a real PostgreSQL refuses", (it) => {
  it.effect("wrong statements are defects, and statements worth repeating fail", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const run = (text: string) => outcomeOf(sql.unsafe(text))
      assert.deepStrictEqual(
        {
          tooLarge: yield* run("select 3000000000::int8::int4"),
          notANumber: yield* run("select 'olena'::text::int4"),
          noColumn: yield* run("select titel from appeals"),
          noRow: yield* run("insert into users (id) values (null)"),
          ours: yield* run("do $$ begin raise exception 'no' using errcode = 'P0001'; end $$"),
          late: yield* run("do $$ begin raise exception 'no' using errcode = '57014'; end $$"),
          locked: yield* run("do $$ begin raise exception 'no' using errcode = '55P03'; end $$"),
          fullDisk: yield* run("do $$ begin raise exception 'no' using errcode = '53100'; end $$"),
          shutdown: yield* run("select pg_terminate_backend(pg_backend_pid())"),
          after: yield* run("select 1")
        },
        {
          tooLarge: "defect 22003",
          notANumber: "defect 22P02",
          noColumn: "defect 42703",
          noRow: "defect 23502",
          ours: "defect P0001",
          late: "failure timeout",
          locked: "failure timeout",
          fullDisk: "failure storage_full",
          shutdown: "failure database_unavailable",
          after: "a value"
        }
      )
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
