// Sweeps on several processes of one database: one of them works, and another goes on when it ends.
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { SecureRandom } from "effect/crypto"
import * as AccessStorePostgres from "../postgres/access/AccessStorePostgres.ts"
import * as ImportStorePostgres from "../postgres/imports/ImportStorePostgres.ts"
import * as ReceiptsPostgres from "../postgres/receipts/ReceiptsPostgres.ts"
import { hasRow } from "../postgres/sql/Query.ts"
import { PostgresFixtures } from "../testing/PostgresFixtures.ts"
import { temporaryFileStorage } from "../testing/FileFixtures.ts"
import { eventually, newWorld } from "../testing/ProjectionFixtures.ts"
import { sweepsLayer } from "./Sweeps.ts"
import { startLeasedSweeps } from "./Sweep.ts"

const isTrue = (answer: boolean) => answer

/** A process that sweeps every few milliseconds; `rounds` is how often it did. */
const processOf = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const seen = { rounds: 0 }
  const once = Effect.sync(() => {
    seen.rounds++
    return 0
  })
  yield* startLeasedSweeps("test", [{ name: "rows", once, rowsMax: 1, everyMillis: 10 }]).pipe(
    Scope.provide(scope)
  )
  return {
    isSweeping: Effect.suspend(() => {
      const before = seen.rounds
      return Effect.as(Effect.sleep("100 millis"), before).pipe(Effect.map((rounds) => seen.rounds > rounds))
    }),
    stop: Scope.close(scope, Exit.void)
  }
})

layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "60 seconds" })(
  "a sweep that several processes make",
  (it) => {
    it.effect("a sweep is run by one of several processes, and by another when that one ends", () =>
      Effect.gen(function* () {
        const first = yield* processOf
        yield* eventually(first.isSweeping, isTrue)
        const second = yield* processOf
        // Long enough for the second to try for the lease several times. If the first is delayed for as long as a lease
        // lasts, the second may take it within one of these polls.
        const looks = yield* Effect.forEach(Array.from({ length: 30 }), () =>
          Effect.all([first.isSweeping, second.isSweeping], { concurrency: 2 })
        )
        assert.isAtMost(looks.filter(([one, other]) => one && other).length, 1)
        yield* first.stop
        yield* eventually(second.isSweeping, isTrue)
        yield* second.stop
      })
    )

    it.effect("the sweeps of the service delete old receipts", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { instanceId } = yield* newWorld
        yield* sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, answer, committed_at)
          values (${instanceId}, 'user/1', 'o', 'old', gen_random_uuid(), 'f', '{}', now() - interval '8 days')`
        const sweeps = sweepsLayer({ receiptDays: 0, auditDays: 0, stateVersions: 0 }).pipe(
          Layer.provide([AccessStorePostgres.layer, ReceiptsPostgres.layer, ImportStorePostgres.layer]),
          Layer.provide([SecureRandom.layerWebCrypto, temporaryFileStorage])
        )
        const isThere = hasRow(sql`select 1 from receipts where instance_id = ${instanceId}`)
        yield* Effect.provide(
          eventually(isThere, (there) => !there),
          sweeps,
          { local: true }
        )
      })
    )
  }
)
