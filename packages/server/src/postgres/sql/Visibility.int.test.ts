// What lists find by index is what the one implementation of visibility says, and they read little else
// (contract §1.2, §2).
import { assert, layer } from "@effect/vitest"
import type { Role } from "@rapport/contract/Authorization.ts"
import { AppealStore } from "@rapport/core/appeals/AppealStore.ts"
import { ClientStore } from "@rapport/core/clients/ClientStore.ts"
import { type ListRequest, type ListRows, recordsOf } from "@rapport/core/lists/ListRequest.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sessionOf } from "../../testing/ContextFixtures.ts"
import { newest } from "../../testing/ListRequests.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import * as AppealStorePostgres from "../appeals/AppealStorePostgres.ts"
import { moveClient } from "../clients/ClientMerge.ts"
import * as ClientStorePostgres from "../clients/ClientStorePostgres.ts"
import { selectedCount, selectedIds } from "./Query.ts"
import { appealVisible, callerOf, clientReadable } from "./Visibility.ts"

const decodeIds = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Int })))

/** Ids of all pages, as they come. */
const walkPages = Effect.fnUntraced(function* (
  page: (request: ListRequest) => Effect.Effect<ListRows, SourceUnavailable>
) {
  const ids: Array<number> = []
  let after: ListRequest["after"] = null
  for (;;) {
    const found: ListRows = yield* page({ ...newest, after })
    ids.push(...decodeIds(recordsOf(found)).map(({ id }) => id))
    if (!found.more) return ids
    after = found.last
  }
})

/** How many rows of a table a statement read. It must run in a transaction of its own. */
const rowsRead = <E, R>(table: string, statement: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const count = selectedCount(sql`select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::float8 as count
      from pg_stat_xact_user_tables where relname = ${table}`)
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        const before = yield* count
        yield* statement
        return (yield* count) - before
      })
    )
  })

const stores = Layer.mergeAll(ClientStorePostgres.layer, AppealStorePostgres.layer).pipe(
  Layer.provide([
    Layer.mock(OutboxSignal, { notify: Effect.void }),
    Layer.mock(DeliverySignal, { notify: Effect.void })
  ]),
  Layer.provideMerge(PostgresFixtures.small)
)

const everybody = ["administrator", "supervisor", "operator", "light_agent", "integrator", "qa_lead"] as const
const many = 4_000

layer(stores, { timeout: "60 seconds" })("Visibility in lists", (it) => {
  it.effect.each([...everybody])("%s lists the clients that they may read, and no others", (login) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const clients = yield* ClientStore
      yield* sql`insert into clients (instance_id, name) values (1, 'без звернень')`
      const session = yield* sessionOf(login)
      const readable =
        yield* selectedIds(sql`with ${callerOf(session)} select c.id::float8 as id from clients c, caller u
        where c.instance_id = u.instance_id and c.merged_into_id is null and ${clientReadable}
        order by c.created_at desc, c.id desc`)
      assert.deepStrictEqual(yield* walkPages((request) => clients.list(session, request)), readable)
    })
  )

  it.effect.each([...everybody])("%s lists the chats that they may see, and no others", (login) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const appeals = yield* AppealStore
      const session = yield* sessionOf(login)
      const visible =
        yield* selectedIds(sql`with ${callerOf(session)} select a.id::float8 as id from appeals a, caller u
        where a.instance_id = u.instance_id and a.kind = 'chat' and ${appealVisible}
        order by a.created_at desc, a.id desc`)
      assert.deepStrictEqual(yield* walkPages((request) => appeals.chats.list(session, request)), visible)
    })
  )

  it.effect("a client's hasAppeals follows the seed, a first appeal and a merge", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const wrong = selectedIds(
        sql`select c.id::float8 as id from clients c where c.merged_into_id is null and c.has_appeals <>
          exists (select 1 from appeals a where a.instance_id = c.instance_id and a.client_id = c.id)`
      )
      assert.deepStrictEqual(yield* wrong, [])
      const [from = 0, into = 0] = yield* selectedIds(
        sql`insert into clients (instance_id, name) values (1, 'a'), (1, 'b') returning id::float8 as id`
      )
      assert.deepStrictEqual(yield* wrong, [])
      yield* sql`insert into appeals (instance_id, kind, client_id, status, status_group)
        values (1, 'chat', ${from}, 'closed', 'done'), (1, 'chat', ${from}, 'closed', 'done')`
      assert.deepStrictEqual(yield* wrong, [])
      yield* sql.withTransaction(moveClient(sql, 1, from, into))
      assert.deepStrictEqual(yield* wrong, [])
    })
  )

  it.effect.each(["operator", "light_agent"] satisfies ReadonlyArray<Role>)(
    "a list of %s does not read rows that the caller may not see",
    (login) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const clients = yield* ClientStore
        const appeals = yield* AppealStore
        const session = yield* sessionOf(login)
        const [seen, chats] = [
          yield* walkPages((request) => clients.list(session, request)),
          yield* walkPages((request) => appeals.chats.list(session, request))
        ]
        // Of other users: also of the operator's subjects, taken by another operator. One statement for all may time out.
        const insert = sql`with c as (insert into clients (instance_id, name)
            select 1, 'чужий' from generate_series(1, ${many / 8}) returning id)
          insert into appeals (instance_id, kind, client_id, subject_id, operator_id, operator_ids, status, status_group)
            select 1, 'chat', c.id, 12, u.id, array[u.id], 'closed', 'done' from c,
              (select id from users where login = 'administrator') u`
        yield* Effect.replicateEffect(insert, 8, { discard: true })
        yield* sql`analyze clients`
        yield* sql`analyze appeals`
        const listClients = clients.list(session, newest)
        const listChats = appeals.chats.list(session, newest)
        assert.isBelow(yield* rowsRead("clients", listClients), many / 4 + 4 * seen.length)
        assert.isBelow(yield* rowsRead("appeals", listClients), many / 4 + 20 * seen.length)
        assert.isBelow(yield* rowsRead("appeals", listChats), many / 4 + 20 * chats.length)
      })
  )
})
