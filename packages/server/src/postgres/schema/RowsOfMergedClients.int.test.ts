// Migration 0172: what was left under the ids of merged clients becomes the survivors', and is erased with them.
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Rest, RestFixtures, expectStatus } from "../../testing/RestFixtures.ts"
import { rowsOf } from "../sql/Query.ts"
import { rowsOfMergedClients } from "./0172_rows_of_merged_clients.ts"

const foundRows = rowsOf(
  Schema.Struct({ client: Schema.Int, events: Schema.Int, states: Schema.Json, history: Schema.Int })
)

layer(RestFixtures, { excludeTestServices: true, timeout: 60_000 })("rows of merged clients", (it) => {
  it.effect("are the survivor's, whose own states stay; an erasure that missed them is done again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rest = yield* Rest
      const instance = yield* rest.instance
      const who = yield* rest.user(instance, ["administrator"])
      const made: Array<number> = []
      for (let i = 0; i < 3; i++)
        made.push((yield* rest.call(who, "POST", "/clients", { name: "О" })).body.id)
      const [first = 0, second = 0, survivor = 0] = made
      for (const from of [first, second])
        expectStatus(yield* rest.call(who, "POST", `/clients/${from}/merge`, { intoId: survivor }), 200)
      for (const [id, namespace, value] of [
        [first, "both", "first"],
        [second, "both", "second"],
        [second, "kept", "lost"],
        [survivor, "kept", "own"]
      ] as const) {
        yield* sql`insert into client_state (instance_id, client_id, namespace, id, version, state, updated_at)
          values (${instance}, ${id}, ${namespace}, gen_random_uuid(), 1, ${JSON.stringify(value)}::text::json, now())`
        yield* sql`insert into client_state_history (instance_id, client_id, namespace, version, state, updated_at)
          values (${instance}, ${id}, ${namespace}, 1, ${JSON.stringify(value)}::text::json, now())`
      }
      for (const id of made)
        yield* sql`insert into client_actions (instance_id, id, client_id, type, actor_type, occurred_at, external_event_id)
          values (${instance}, gen_random_uuid(), ${id}, 'x', 'client', now(), 'same')`
      yield* sql`insert into client_erasures (instance_id, client_id, finished_at) values (${instance}, ${survivor}, now())`
      for (const statement of rowsOfMergedClients) yield* sql.unsafe(statement)
      const found = yield* foundRows.all(sql`select c.id::float8 as client,
          (select count(*) from client_actions a where a.client_id = c.id)::float8 as events,
          (select coalesce(json_object_agg(namespace, state), '{}') from client_state s where s.client_id = c.id) as states,
          (select count(*) from client_state_history h where h.client_id = c.id)::float8 as history
        from clients c where c.instance_id = ${instance} order by c.id`)
      assert.deepEqual(found, [
        { client: first, events: 0, states: {}, history: 0 },
        { client: second, events: 0, states: {}, history: 0 },
        { client: survivor, events: 3, states: { both: "first", kept: "own" }, history: 2 }
      ])
      const open =
        yield* sql`select 1 from client_erasures where client_id = ${survivor} and finished_at is null`
      assert.strictEqual(open.length, 1)
    })
  )
})
