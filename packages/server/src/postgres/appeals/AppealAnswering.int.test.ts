// The rows that the effects of a message on a chat are computed from.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { selectedCount } from "../sql/Query.ts"
import { answeredBy } from "./AppealAnswering.ts"

const MESSAGES = 50
const lastMessageAt = "2026-03-02T10:00:00Z"

layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "60 seconds" })(
  "a message of a chat with a history",
  (it) => {
    it.effect("only a late message reads the messages of the chat", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into instances (id, name) values (7002, 'answering')`
        yield* sql`insert into clients (instance_id, id, name) values (7002, 7002, 'Олена')`
        yield* sql`insert into appeals (instance_id, id, kind, client_id, status, status_group, message_count,
            first_response_at, last_message_at)
          values (7002, 7002, 'chat', 7002, 'active', 'open', ${MESSAGES}, ${lastMessageAt}, ${lastMessageAt})`
        yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, text, occurred_at)
          select 7002, 7002, n, 'client', 'Де мій роутер?', '2026-03-01T10:00:00Z' from generate_series(1, ${MESSAGES}::int4) n`
        /** Messages that are read for a new message of the client. */
        const readFor = (occurredAt: string) =>
          sql.withTransaction(
            Effect.gen(function* () {
              const read = selectedCount(
                sql`select sum(pg_stat_get_xact_tuples_fetched(indexrelid))::float8 as count from pg_index
                  where indrelid = 'appeal_messages'::regclass`
              )
              const before = yield* read
              yield* sql`select answered.* from appeals a, ${answeredBy("a", {
                authorType: sql.literal("'client'"),
                occurredAt: sql`${occurredAt}::timestamptz`
              })} answered where a.instance_id = 7002 and a.id = 7002`
              return (yield* read) - before
            })
          )
        assert.strictEqual(yield* readFor("2026-03-03T10:00:00Z"), 0)
        assert.strictEqual(yield* readFor("2026-03-01T12:00:00Z"), MESSAGES)
      })
    )
  }
)
