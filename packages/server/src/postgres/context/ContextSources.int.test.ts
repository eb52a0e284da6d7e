// A context read on a database that is slow (contract §3.2 "a source that is down", §3.4).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { openTransaction } from "../../testing/LockWaits.ts"
import { ContextFixtures, readPack, sessionOf } from "../../testing/ContextFixtures.ts"
import { selectedCount } from "../sql/Query.ts"
import { eventually } from "../../testing/ProjectionFixtures.ts"

const client = { entity: "client", id: 501 } as const

/** Runs while another transaction locks the table against every reader. */
const whileLocked = <A, E, R>(table: string, run: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const unlock = yield* openTransaction(sql.unsafe(`lock table ${table} in access exclusive mode`))
    return yield* Effect.ensuring(run, Effect.orDie(unlock))
  })

const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* selectedCount(sql`select count(*)::float8 as count from pg_stat_activity
    where pid <> pg_backend_pid() and state = 'active' and query like '%context_store_ready%'`)
})

layer(ContextFixtures.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "A context read whose database is slow or unreachable (contract §3.4)",
  (it) => {
    it.effect("a deadline is 503 reason timeout and cancels the SQL in PostgreSQL", () =>
      Effect.gen(function* () {
        const session = yield* sessionOf("administrator")
        yield* readPack(session, { scope: client })
        yield* whileLocked(
          "client_actions",
          Effect.gen(function* () {
            const error = yield* Effect.flip(
              readPack(session, { scope: client, actions: {}, timeoutMs: 200 })
            )
            assert.deepInclude(error, { code: "SEARCH_UNAVAILABLE", reason: "timeout" })
            yield* eventually(waiting, (count) => count === 0)
          })
        )
      })
    )
  }
)
