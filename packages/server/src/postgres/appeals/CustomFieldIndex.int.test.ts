// The index of custom fields serves the filter of chats and tickets (contract §1.2).
import { assert, layer } from "@effect/vitest"
import { chats } from "@rapport/contract/appeals/ChatsApi.ts"
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { filterConditions } from "../sql/ListQuery.ts"
import { chatColumns } from "./AppealColumns.ts"

layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "60 seconds" })(
  "the index of custom fields",
  (it) => {
    it.effect("an equal value is read by the index, and a value that most chats have is not", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into instances (id, name) values (7001, 'fields') on conflict do nothing`
        yield* sql`insert into clients (instance_id, id, name) values (7001, 7001, 'Олена')`
        yield* sql`insert into appeals (instance_id, kind, client_id, status, status_group, custom_fields)
          select 7001, 'chat', 7001, 'closed', 'done',
            json_build_object('замовлення', n, 'parts', json_build_array('кабель ' || n, 'блок'), 'source', 'web')
          from generate_series(1, 3000) n`
        yield* sql`analyze appeals`
        const list = {
          collection: chats,
          columns: chatColumns,
          common: null,
          from: sql.literal("appeals a"),
          where: sql.literal("true")
        }
        const planOf = Effect.fnUntraced(function* (
          operator: ListFilter["operator"],
          value: ListFilter["value"]
        ) {
          const conditions = filterConditions(sql, list, [{ field: "customFields", operator, value }])
          return JSON.stringify(
            yield* sql`explain select a.id from appeals a where a.instance_id = 7001 and a.kind = 'chat'
              and ${sql.and(conditions)} order by a.created_at desc, a.id desc limit 10`
          )
        })
        for (const [operator, value] of [
          ["eq", "замовлення:777"],
          ["eq", "parts:кабель 12"],
          ["in", ["замовлення:1", "parts:кабель 12"]]
        ] as const)
          assert.include(yield* planOf(operator, value), "appeals_fields", operator)
        assert.notInclude(yield* planOf("eq", "source:web"), "appeals_fields")
      })
    )
  }
)
