// The triggers that maintain the access of users (contract §2, "Changes take effect on the next request").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccessFixtures } from "../../../testing/AccessFixtures.ts"
import { openTransaction } from "../../../testing/LockWaits.ts"

layer(AccessFixtures.layer)("user_access", (it) => {
  const accessOf = Effect.fnUntraced(function* (userId: number) {
    const sql = yield* SqlClient.SqlClient
    return yield* sql`select status, roles, xmin::text as written from user_access where user_id = ${userId}`
  })

  it.effect("user_access is neither changed nor locked by a login or another change of a user", () =>
    Effect.gen(function* () {
      const { instanceId, user } = yield* AccessFixtures.enter("operator")
      const sql = yield* SqlClient.SqlClient
      const before = yield* accessOf(user.id)
      // The lock of a change of groups.
      const unlock = yield* openTransaction(sql`select pg_advisory_xact_lock(7201, ${instanceId}::int4)`)
      yield* sql`update users set last_login_at = now(), first_name = 'Марія', roles = roles where id = ${user.id}`
      yield* unlock
      assert.deepStrictEqual(yield* accessOf(user.id), before)
    })
  )
})
