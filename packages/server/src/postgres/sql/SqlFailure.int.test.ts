import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { unavailableOrDie, StatementFailed } from "./SqlFailure.ts"

const live = { excludeTestServices: true, timeout: "60 seconds" } as const

/** What a statement ends as: a value, a failure's reason, or a defect's SQLSTATE. */
const ended = (statement: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(statement), (exit) => {
    if (Exit.isSuccess(exit)) return "a value"
    const found: unknown = Cause.squash(exit.cause)
    if (found instanceof StatementFailed) return `defect ${found.sqlState}`
    return `failure ${String(Reflect.get(Object(found), "reason"))}`
  })

layer(PostgresFixtures.migrated, live)("statements that a real PostgreSQL refuses", (it) => {
  it.effect("die where they are wrong, and fail where asking again helps", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const judged = (text: string) =>
        ended(sql.unsafe(text).pipe(Effect.catchTag("SqlError", unavailableOrDie)))
      assert.deepStrictEqual(
        {
          tooLarge: yield* judged("select 3000000000::int8::int4"),
          notANumber: yield* judged("select 'olena'::text::int4"),
          noColumn: yield* judged("select titel from appeals"),
          noRow: yield* judged("insert into users (id) values (null)"),
          ours: yield* judged("do $$ begin raise exception 'no' using errcode = 'P0001'; end $$"),
          late: yield* judged("do $$ begin raise exception 'no' using errcode = '57014'; end $$"),
          locked: yield* judged("do $$ begin raise exception 'no' using errcode = '55P03'; end $$"),
          fullDisk: yield* judged("do $$ begin raise exception 'no' using errcode = '53100'; end $$"),
          shutdown: yield* judged("select pg_terminate_backend(pg_backend_pid())"),
          after: yield* judged("select 1")
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
})
