// A chat made in one statement with its receipt: all of it, or nothing (contract §1.3, §9).
import { assert, layer } from "@effect/vitest"
import { chatDraft, namedIn } from "@rapport/core/appeals/AppealDraft.ts"
import { AppealStore } from "@rapport/core/appeals/AppealStore.ts"
import type { Claim } from "@rapport/core/receipts/Receipts.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { sessionOf } from "../../testing/ContextFixtures.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import * as AppealStorePostgres from "./AppealStorePostgres.ts"

const NOW = Date.UTC(2026, 0, 1, 10)
const decodeIds = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Int })))
const decodeWritten = Schema.decodeUnknownSync(
  Schema.Tuple([
    Schema.Struct({ appeals: Schema.Int, messages: Schema.Int, receipts: Schema.Int, entries: Schema.Int })
  ])
)
const decodeChats = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      messages: Schema.Int,
      own: Schema.Int,
      answered: Schema.Boolean,
      changes: Schema.Int,
      receipts: Schema.Int,
      texts: Schema.Array(Schema.String)
    })
  )
)
type Asked = Parameters<typeof chatDraft>[0]

/** A client of its own, and what was written about them and under their key. */
const world = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const store = yield* AppealStore
  const session = yield* sessionOf("administrator")
  const [client = 0, survivor = 0] = decodeIds(
    yield* sql`insert into clients (instance_id, name) values (1, 'Олена'), (1, 'Ольга') returning id::float8 as id`
  ).map(({ id }) => id)
  const claim: Claim = {
    id: randomUUID(),
    operation: "chat.create",
    fingerprint: "sha256:",
    committedAt: NOW,
    caller: session,
    key: randomUUID()
  }
  const create = (more: Partial<Asked> = {}, claimed: Claim | null = claim) => {
    const request: Asked = {
      clientId: client,
      channel: "web",
      messages: [{ authorType: "client", text: "Доброго дня", occurredAt: NOW - 1_000 }],
      ...more
    }
    const draft = chatDraft(request, { clientId: client, now: NOW, userId: session.userId, takesIt: false })
    const write = { draft, named: namedIn(request), claim: claimed, isValid: true, statusesVersion: null }
    return Effect.map(store.createChat(session, write), (outcome) =>
      outcome._tag === "Created" ? outcome.appeal : undefined
    )
  }
  const written = Effect.map(
    sql`with a as (select id from appeals where instance_id = 1 and client_id in (${client}, ${survivor}))
      select (select count(*) from a)::int4 as appeals,
      (select count(*) from appeal_messages m join a on a.id = m.appeal_id)::int4 as messages,
      (select count(*) from receipts where key = ${claim.key})::int4 as receipts,
      (select count(*) from audit_log l join a on a.id::text = l.entity_id where l.entity = 'chat')::int4 as entries`,
    (rows) => decodeWritten(rows)[0]
  )
  return { sql, client, survivor, claim, create, written }
})
const text = (at: number, place: number) => `Рахунок ${at}, рядок ${place}`
const one = { appeals: 1, messages: 1, receipts: 1, entries: 1 }
const nothing = { appeals: 0, messages: 0, receipts: 0, entries: 0 }

const stores = AppealStorePostgres.layer.pipe(
  Layer.provide([
    Layer.mock(OutboxSignal, { notify: Effect.void }),
    Layer.mock(DeliverySignal, { notify: Effect.void })
  ]),
  Layer.provideMerge(PostgresFixtures.small)
)

layer(stores)("AppealStore.createChat", (it) => {
  it.effect("writes the chat, its messages, the entry of the audit log and the receipt", () =>
    Effect.gen(function* () {
      const { create, written } = yield* world
      assert.strictEqual((yield* create({ subjectId: 12, operatorId: 31 }))?.messageCount, 1)
      assert.deepStrictEqual(yield* written, one)
    })
  )

  it.effect("writes nothing where the key is taken", () =>
    Effect.gen(function* () {
      const { claim, create, written } = yield* world
      yield* create()
      assert.isUndefined(yield* create({}, { ...claim, id: randomUUID() }))
      assert.deepStrictEqual(yield* written, one)
    })
  )

  it.effect("writes the chat of the survivor where the client was merged meanwhile", () =>
    Effect.gen(function* () {
      const { client, create, sql, survivor, written } = yield* world
      yield* sql`update clients set merged_into_id = ${survivor} where id = ${client}`
      assert.strictEqual((yield* create())?.clientId, survivor)
      assert.deepStrictEqual(yield* written, one)
      const authors =
        yield* sql`select 1 from appeal_messages where author_type = 'client' and author_id = ${survivor}`
      assert.lengthOf(authors, 1)
    })
  )

  const message = { text: "Так", occurredAt: NOW - 1_000 }
  it.effect.each<readonly [string, Partial<Asked>]>([
    ["client", { clientId: 601 }],
    ["subject", { subjectId: 999_999_999 }],
    ["operator", { operatorId: 999_999_999 }],
    ["author", { messages: [{ authorType: "operator", authorId: 999_999_999, ...message }] }]
  ])("writes nothing where the %s is unknown or another instance's", ([, asked]) =>
    Effect.gen(function* () {
      const { create, written } = yield* world
      assert.isUndefined(yield* create(asked))
      assert.deepStrictEqual(yield* written, nothing)
    })
  )

  it.effect("writes nothing where the operator may not answer chats, or is blocked", () =>
    Effect.gen(function* () {
      const { create, sql, written } = yield* world
      const [analyst = 0] = decodeIds(
        yield* sql`select id::float8 as id from users where login = 'analyst'`
      ).map(({ id }) => id)
      assert.isUndefined(yield* create({ operatorId: analyst }))
      yield* sql`update users set status = 'blocked' where id = 31`
      assert.isUndefined(yield* create({ operatorId: 31 }))
      assert.deepStrictEqual(yield* written, nothing)
    })
  )

  it.effect("makes each of many concurrent chats whole, or leaves nothing of it", () =>
    Effect.gen(function* () {
      const { claim, client, create, sql } = yield* world
      const LAST = 38
      const keys = Array.from({ length: LAST + 1 }, () => randomUUID())
      const asked = (at: number): Partial<Asked> => ({
        operatorId: claim.caller.userId,
        ...(at % 4 === 3 ? { subjectId: 999_999_999 } : {}),
        messages: Array.from({ length: (at % 3) + 1 }, (_, place) => ({
          authorType: place % 2 === 0 ? ("client" as const) : ("operator" as const),
          ...(place % 2 === 0 ? {} : { authorId: claim.caller.userId }),
          text: text(at, place),
          occurredAt: NOW - 5_000 + place,
          externalMessageId: `m-${place}`
        }))
      })
      // The key of the last is that of the first.
      const made = yield* Effect.forEach(
        keys,
        (key, at) =>
          create(asked(at), { ...claim, id: randomUUID(), key: at === LAST ? (keys[0] ?? key) : key }),
        { concurrency: "unbounded" }
      )
      const ids = new Map(made.flatMap((chat, at) => (chat === undefined ? [] : [[chat.id, at] as const])))
      assert.deepStrictEqual(
        made.flatMap((chat, at) => (chat === undefined ? [at] : [])),
        keys.flatMap((_, at) => (at % 4 === 3 || at === LAST ? [at] : []))
      )
      for (const [at, chat] of made.entries())
        if (chat !== undefined) assert.strictEqual(chat.messageCount, (at % 3) + 1)
      const written = decodeChats(
        yield* sql`select a.id::float8 as id, d.messages, d.own_messages as own,
            (d.first_operator_at is not null) as answered,
            (select count(*)::int4 from outbox o where o.instance_id = 1 and o.kind = 'evidence' and o.key = a.id) as changes,
            (select count(*)::int4 from receipts r where r.answer->>'id' = a.id::text and r.operation = 'chat.create') as receipts,
            (select array_agg(m.text order by m.sequence) from appeal_messages m where m.appeal_id = a.id) as texts
          from appeals a join dialogues d on d.instance_id = 1 and d.appeal_id = a.id where a.client_id = ${client}`
      )
      assert.lengthOf(written, ids.size)
      for (const { id, ...rest } of written) {
        const at = ids.get(id) ?? -1
        const messages = (at % 3) + 1
        const own = Math.floor(messages / 2)
        assert.deepStrictEqual(rest, {
          messages,
          own,
          answered: own > 0,
          changes: 1,
          receipts: 1,
          texts: Array.from({ length: messages }, (_, place) => text(at, place))
        })
      }
    })
  )
})
