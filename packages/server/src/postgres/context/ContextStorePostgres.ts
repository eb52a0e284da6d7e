// The context store in PostgreSQL: open, re-check and confirm are one statement each, and each looks at the rights anew.
import { ContextStore } from "@rapport/core/context/read/ContextStore.ts"
import { Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { confirmStatement, decodeConfirmed } from "./ContextConfirm.ts"
import { decodeOpened, openStatement } from "./ContextOpen.ts"
import { decodeRechecked, recheckStatement } from "./ContextRecheck.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"

/** A connection that was lost unnoticed fails once; only reads are made here, so they are simply made again. */
const onceMore = <A>(read: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> =>
  Effect.retry(read, { times: 1, while: (error) => error.reason._tag === "ConnectionError" })

export const layer: Layer.Layer<ContextStore, never, SqlClient.SqlClient> = Layer.effect(
  ContextStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return ContextStore.of({
      open: Effect.fn("ContextStore.open")(
        function* (caller, scope, needs) {
          const rows = yield* onceMore(openStatement(sql, caller, scope, needs))
          return yield* decodeOpened(scope, needs, rows)
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),
      recheck: Effect.fn("ContextStore.recheck")(
        function* (request) {
          return yield* decodeRechecked(yield* onceMore(recheckStatement(sql, request)))
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),
      confirm: Effect.fn("ContextStore.confirm")(
        function* (request) {
          return yield* decodeConfirmed(yield* onceMore(confirmStatement(sql, request)))
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      )
    })
  })
)
