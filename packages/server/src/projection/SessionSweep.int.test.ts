import { assert, layer } from "@effect/vitest"
import { Access } from "@rapport/core/access/Access.ts"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { SESSION_SWEEP_ROWS_MAX } from "../postgres/access/RefreshTokens.ts"
import { AccessFixtures } from "../testing/AccessFixtures.ts"
import { startSweeps } from "./Sweep.ts"
import { SESSION_SWEEP_MILLIS, sessionSweep } from "./Sweeps.ts"

layer(AccessFixtures.layer)("the sweep of sessions", (it) => {
  it.effect("the sweep of sessions deletes ended sessions and old used tokens in rounds, repeatedly", () =>
    Effect.gen(function* () {
      const { pair, session } = yield* AccessFixtures.enter("operator")
      const sql = yield* SqlClient.SqlClient
      const addEnded = (
        count: number
      ) => sql`insert into refresh_families (instance_id, id, user_id, current_hash, expires_at)
        select ${session.instanceId}, gen_random_uuid(), ${session.userId}, '', now() - interval '31 days'
        from generate_series(1, ${count}::int4)`
      const left = sql`select id from refresh_families`
      // A used refresh token is known until it would have expired.
      const { refresh } = yield* Access
      const next = yield* refresh({ refreshToken: pair.refreshToken })
      yield* sql`update refresh_spent set spent_at = now() - interval '31 days'`
      yield* refresh({ refreshToken: next.refreshToken })
      const untilOne = { until: (rows: ReadonlyArray<unknown>) => rows.length === 1 }
      yield* addEnded(2 * SESSION_SWEEP_ROWS_MAX + 5)
      yield* Effect.gen(function* () {
        yield* Effect.repeat(left, untilOne)
        yield* addEnded(5)
        // Time passes between two checks: the first round may still end.
        const later = Effect.andThen(TestClock.adjust(SESSION_SWEEP_MILLIS), left)
        const [kept] = yield* Effect.repeat(later, untilOne)
        assert.strictEqual(kept?.["id"], session.sessionId)
        assert.lengthOf(yield* sql`select 1 from refresh_spent`, 1, "the younger token is still known")
      }).pipe(Effect.provide(Layer.effectDiscard(startSweeps([yield* sessionSweep]))))
    })
  )
})
