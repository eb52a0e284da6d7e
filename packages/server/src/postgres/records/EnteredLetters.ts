// Letters of new texts go to a list first, which every search by letters reads, and from there into their index
// (schema/0171_record_letters.ts): soon after a write and beside it, so that no write waits for it. Where nobody enters them, the
// write that makes the list too long does.
import { Effect, Queue } from "effect"
import type { SqlClient } from "effect/sql"

/** Writes of this long are entered together. */
const TOGETHER = "50 millis"
/** A role that may not, or a database that is away. */
const TRIED_AGAIN_AFTER = "1 minute"

/** Tells a fiber of the scope that records were written. */
export const enteringLetters = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const written = yield* Queue.sliding<void>(1)
  const enter = sql`select gin_clean_pending_list(index.indexrelid) from pg_index index
    where index.indexrelid = to_regclass('custom_values_letters') and index.indisvalid`
  yield* Queue.take(written).pipe(
    Effect.andThen(Effect.sleep(TOGETHER)),
    Effect.andThen(enter),
    Effect.catch((error) =>
      Effect.andThen(
        Effect.logWarning("letters of custom data are entered by those who write them", error),
        Effect.sleep(TRIED_AGAIN_AFTER)
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )
  return Effect.asVoid(Queue.offer(written, undefined))
})
