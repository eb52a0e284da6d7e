// Writes when an external token was used last: at most once a minute per token, many tokens in one statement.
import { isoOf } from "@rapport/contract/values/Time.ts"
import { TokenUses } from "@rapport/core/access/TokenUses.ts"
import { BoundedMap } from "@rapport/core/values/BoundedMap.ts"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { rowsAs } from "../sql/RowsAs.ts"

const MINUTE_MILLIS = 60_000
const WRITE_MILLIS = 1_000
const BATCH_TOKENS_MAX = 1_000
/** Tokens whose last written minute is cached. An evicted token is written once more. */
const CACHED_TOKENS_MAX = 50_000
/** The timeout of the last write at a stop. */
const DRAIN_MILLIS_MAX = 1_000

interface Use {
  readonly instanceId: number
  readonly tokenId: number
  readonly minute: number
}

export const layer: Layer.Layer<TokenUses, never, SqlClient.SqlClient> = Layer.effect(
  TokenUses,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const minutes = new BoundedMap<number, number>(CACHED_TOKENS_MAX)
    const waiting = new Map<number, Use>()

    // Skips a token that another process is writing.
    const write = (uses: ReadonlyArray<Use>) => {
      const rows = uses.map(({ instanceId, minute, tokenId }) => ({
        "instance_id int8": instanceId,
        "id int8": tokenId,
        "used_at timestamptz": isoOf(minute * MINUTE_MILLIS)
      }))
      return sql`with used as (select * from ${rowsAs("token", rows)}),
        free as (select t.instance_id, t.id, used.used_at from external_tokens t
          join used on used.instance_id = t.instance_id and used.id = t.id
          where t.last_used_at is null or t.last_used_at < used.used_at
          order by t.instance_id, t.id for update of t skip locked)
        update external_tokens t set last_used_at = free.used_at from free
        where t.instance_id = free.instance_id and t.id = free.id`
    }

    const flush = Effect.gen(function* () {
      while (waiting.size > 0) {
        const uses = [...waiting.values()].slice(0, BATCH_TOKENS_MAX)
        yield* write(uses)
        for (const use of uses) if (waiting.get(use.tokenId) === use) waiting.delete(use.tokenId)
      }
    }).pipe(
      Effect.catchTag("SqlError", ({ reason }) =>
        Effect.logWarning("the last use of external tokens is not written yet", reason._tag)
      )
    )
    yield* flush.pipe(Effect.andThen(Effect.sleep(WRITE_MILLIS)), Effect.forever, Effect.forkScoped)
    yield* Effect.addFinalizer(() =>
      Effect.ignore(Effect.timeout(Effect.interruptible(flush), DRAIN_MILLIS_MAX))
    )

    const note = (use: Use) => {
      minutes.set(use.tokenId, use.minute)
      waiting.set(use.tokenId, use)
    }

    return TokenUses.of({
      note: ({ instanceId, tokenId }) =>
        tokenId === null
          ? Effect.void
          : Effect.map(Clock.currentTimeMillis, (now) => {
              const minute = Math.floor(now / MINUTE_MILLIS)
              if (minutes.get(tokenId) !== minute) note({ instanceId, tokenId, minute })
            })
    })
  })
)
