// A chat made at once, in one statement with its receipt: when it is left to a transaction (docs/contract.md §1.3, §9).
import { assert, layer } from "@effect/vitest"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { chatDraft } from "@rapport/core/appeals/AppealDraft.ts"
import { AppealStore } from "@rapport/core/appeals/AppealStore.ts"
import type { Claim } from "@rapport/core/receipts/Receipts.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { PostgresFixtures } from "../testing/PostgresFixtures.ts"
import * as AppealStorePostgres from "./AppealStorePostgres.ts"

const NOW = Date.UTC(2026, 0, 1, 10)
const decodeIds = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ instance: Schema.Int, client: Schema.Int, survivor: Schema.Int })])
)
const decodeWritten = Schema.decodeUnknownSync(
  Schema.Tuple([
    Schema.Struct({ appeals: Schema.Int, messages: Schema.Int, receipts: Schema.Int, entries: Schema.Int })
  ])
)

const world = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const store = yield* AppealStore
  const [ids] = decodeIds(
    yield* sql`with i as (insert into instances (name) values ('i') returning id),
        c as (insert into clients (instance_id, name) select i.id, n from i, unnest('{a,b}'::text[]) n returning id)
      select (select id from i)::int4 as instance, min(id)::int4 as client, max(id)::int4 as survivor from c`
  )
  const session: AuthorizedSession = {
    instanceId: ids.instance,
    userId: 1,
    sessionId: randomUUID(),
    tokenId: null,
    roles: ["administrator"],
    permissions: new Set(),
    skillGroupIds: [],
    subjectIds: [],
    colleagueIds: []
  }
  const claim: Claim = {
    id: randomUUID(),
    operation: "chat.create",
    fingerprint: "sha256:",
    committedAt: NOW,
    caller: session,
    key: "k"
  }
  const draft = chatDraft(
    {
      clientId: ids.client,
      channel: "web",
      messages: [{ authorType: "client", text: "Доброго дня", occurredAt: NOW - 1_000 }]
    },
    { clientId: ids.client, now: NOW, userId: 1, takesIt: false }
  )
  const written = Effect.map(
    sql`select (select count(*) from appeals where instance_id = ${ids.instance})::int4 as appeals,
      (select count(*) from appeal_messages where instance_id = ${ids.instance})::int4 as messages,
      (select count(*) from receipts where instance_id = ${ids.instance})::int4 as receipts,
      (select count(*) from audit_log where instance_id = ${ids.instance})::int4 as entries`,
    (rows) => decodeWritten(rows)[0]
  )
  return { sql, store, session, claim, draft, written, ...ids }
})

const stores = AppealStorePostgres.layer.pipe(
  Layer.provide(Layer.mock(OutboxSignal, { poke: Effect.void })),
  Layer.provideMerge(PostgresFixtures.migrated)
)

layer(stores)("AppealStore.createChatAtOnce", (it) => {
  it.effect("writes the chat, its messages, the entry of the audit log and the receipt", () =>
    Effect.gen(function* () {
      const { claim, draft, session, store, written } = yield* world
      const made = yield* store.createChatAtOnce(session, draft, claim)
      assert.strictEqual(made?.messageCount, 1)
      assert.deepStrictEqual(yield* written, { appeals: 1, messages: 1, receipts: 1, entries: 1 })
    })
  )

  it.effect("writes nothing where the key is taken", () =>
    Effect.gen(function* () {
      const { claim, draft, session, store, written } = yield* world
      yield* store.createChatAtOnce(session, draft, claim)
      assert.isUndefined(yield* store.createChatAtOnce(session, draft, { ...claim, id: randomUUID() }))
      assert.deepStrictEqual(yield* written, { appeals: 1, messages: 1, receipts: 1, entries: 1 })
    })
  )

  it.effect("writes nothing where the client was merged after the request was judged", () =>
    Effect.gen(function* () {
      const { claim, client, draft, session, sql, store, survivor, written } = yield* world
      yield* sql`update clients set merged_into_id = ${survivor} where id = ${client}`
      assert.isUndefined(yield* store.createChatAtOnce(session, draft, claim))
      assert.isUndefined(yield* store.createChatAtOnce(session, draft, null))
      assert.deepStrictEqual(yield* written, { appeals: 0, messages: 0, receipts: 0, entries: 0 })
    })
  )
})
