// The indexes of custom fields and of texts serve the lists of chats and tickets (contract §1.2).
import { assert, layer } from "@effect/vitest"
import { chats } from "@rapport/contract/appeals/ChatsApi.ts"
import type { ListFilter, ListRequest } from "@rapport/core/lists/ListRequest.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { newest } from "../../testing/ListRequests.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { listRows } from "../sql/ListQuery.ts"
import { selectedCount } from "../sql/Query.ts"
import { chatColumns } from "./AppealColumns.ts"

layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "60 seconds" })(
  "the indexes of custom fields and texts",
  (it) => {
    it.effect("an equal value or a word is read by its index, unless most chats have it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into instances (id, name) values (7001, 'fields') on conflict do nothing`
        yield* sql`insert into clients (instance_id, id, name) values (7001, 7001, 'Олена')`
        yield* sql`insert into appeals (instance_id, kind, client_id, status, status_group, title, custom_fields)
          select 7001, 'chat', 7001, 'closed', 'done', 'Обрив кабелю ' || n,
            json_build_object('замовлення', n, 'parts', json_build_array('кабель ' || n, 'блок'), 'source', 'web')
          from generate_series(1, 3000) n`
        yield* sql`analyze appeals`
        const list = {
          collection: chats,
          columns: chatColumns,
          searched: "array[a.title, a.chat_id, a.comment]",
          common: null,
          from: sql.literal("appeals a"),
          where: sql.literal("a.instance_id = 7001 and a.kind = 'chat'")
        }
        /** Scans of an index by one page, with the plans of the pool: prepared for all values. */
        const scansOf = (index: string, changes: Partial<ListRequest>) =>
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`set local plan_cache_mode = force_generic_plan`
              const scans = selectedCount(
                sql`select pg_stat_get_xact_numscans(${index}::text::regclass)::float8 as count`
              )
              const before = yield* scans
              const page = yield* listRows(sql, list, { ...newest, limit: 10, ...changes })
              assert.notStrictEqual(page.counted, 0)
              return (yield* scans) - before
            })
          )
        const scansOfFields = (operator: ListFilter["operator"], value: ListFilter["value"]) =>
          scansOf("appeals_fields", { filters: [{ field: "customFields", operator, value }] })
        const scansOfTexts = (search: string) => scansOf("appeals_searched", { search })
        for (const [operator, value] of [
          ["eq", "замовлення:777"],
          ["eq", "parts:кабель 12"],
          ["in", ["замовлення:1", "parts:кабель 12"]]
        ] as const)
          assert.isAbove(yield* scansOfFields(operator, value), 0, operator)
        assert.strictEqual(yield* scansOfFields("eq", "source:web"), 0)
        assert.isAbove(yield* scansOfTexts("кабелю 777"), 0)
        assert.strictEqual(yield* scansOfTexts("кабелю"), 0)
      })
    )
  }
)
