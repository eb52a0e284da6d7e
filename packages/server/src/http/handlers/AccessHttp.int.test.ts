// The limit of external tokens of a user (contract §2).
import { assert, layer } from "@effect/vitest"
import { EXTERNAL_TOKENS_MAX } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

const path = "/auth/external-tokens"

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  const sql = yield* SqlClient.SqlClient
  const other = yield* rest.user(instance, ["administrator"])
  const make = (who = admin) => who.post(path, { name: "Пошта", permissions: ["chats.read"] })
  /** Inserts tokens of the user. */
  const fill = (count: number, expiresAt: string | null = null) =>
    sql`insert into external_tokens (instance_id, user_id, name, prefix, hash, permissions, expires_at)
      select ${admin.instanceId}, ${admin.id}, 'old', 'p', decode(md5(random()::text || n), 'hex'), array['chats.read'],
        ${expiresAt}::timestamptz from generate_series(1, ${count}) n`
  return { rest, admin, other, make, fill }
})

layer(RestFixtures, { excludeTestServices: true })("external tokens of one user", (it) => {
  it.effect("external tokens of one user never exceed the limit, also when made concurrently", () =>
    Effect.gen(function* () {
      const { fill, make, other } = yield* world
      yield* fill(EXTERNAL_TOKENS_MAX - 2)
      const all = yield* Effect.forEach(Array.from({ length: 8 }), () => make(), { concurrency: "unbounded" })
      assert.deepStrictEqual(all.map(({ status }) => status).toSorted(), [201, 201, ...Array(6).fill(409)])
      const refused = all.find(({ status }) => status === 409)
      assert.strictEqual(refused?.body.code, "STATE_NOT_ALLOWED", refused?.text)
      assert.strictEqual((yield* make(other)).status, 201, "another user of the instance")
    })
  )

  it.effect("external tokens of one user do not count once they are deleted or expired", () =>
    Effect.gen(function* () {
      const { admin, fill, make } = yield* world
      yield* fill(20, "2020-01-01T00:00:00Z")
      yield* fill(EXTERNAL_TOKENS_MAX - 1)
      const last = yield* make()
      assert.strictEqual(last.status, 201, last.text)
      assert.strictEqual((yield* make()).status, 409)
      yield* admin.remove(`${path}/${last.body.id}`)
      assert.strictEqual((yield* make()).status, 201)
    })
  )
})
