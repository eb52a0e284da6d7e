// Transcripts on a real PostgreSQL, by contract §7 "Transcripts".
import { assert, layer } from "@effect/vitest"
import type { Transcript } from "@rapport/contract/appeals/AppealsApi.ts"
import { permissions } from "@rapport/contract/Authorization.ts"
import { PAGE_BYTES_MAX, PageLimits } from "@rapport/contract/Limits.ts"
import { Transcripts } from "@rapport/core/appeals/Transcripts.ts"
import { Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { layer as cursorsLayer } from "../../lists/CursorSeal.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { layer as storeLayer } from "./TranscriptStorePostgres.ts"
import { anySession } from "@rapport/core/testing/SessionFixtures.ts"

const TestLayer = Transcripts.layer.pipe(
  Layer.provide(storeLayer),
  Layer.provide(cursorsLayer([Redacted.make(new Uint8Array(32))])),
  Layer.provideMerge(PostgresFixtures.small)
)

const Row = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ id: Schema.Int, instance_id: Schema.Int })])
)

const Family = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct({ family: Schema.String })]))

/** A session of a demo login, as authentication would find it. */
const sessionOf = Effect.fnUntraced(function* (login: string) {
  const sql = yield* SqlClient.SqlClient
  const [{ id, instance_id: instanceId }] = Row(
    yield* sql`select id::float8 as id, instance_id::float8 as instance_id from users where login = ${login}`
  )
  const [{ family }] = Family(
    yield* sql`insert into refresh_families (instance_id, id, user_id, current_hash, expires_at)
      values (${instanceId}, gen_random_uuid(), ${id}, ''::bytea, now() + interval '1 day') returning id::text as family`
  )
  return anySession({ instanceId, userId: id, sessionId: family, permissions: new Set(permissions) })
})

const sequences = ({ data }: { readonly data: ReadonlyArray<{ readonly sequence: number }> }) =>
  data.map(({ sequence }) => sequence)
const bytes = (page: Transcript) => new TextEncoder().encode(JSON.stringify(page)).byteLength
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

layer(TestLayer, { timeout: "120 seconds" })("Transcripts (contract §7)", (it) => {
  it.effect("a transcript has gapless pages of at most 100, 50 by default, ascending by sequence", () =>
    Effect.gen(function* () {
      const transcripts = yield* Transcripts
      const session = yield* sessionOf("administrator")
      const first = yield* transcripts.read(session, "chat", 9001, {})
      assert.strictEqual(first.limit, PageLimits.default)
      assert.deepStrictEqual(sequences(first), range(1, 50))
      let page = yield* transcripts.read(session, "chat", 9001, { limit: 100 })
      const all = [...sequences(page)]
      while (page.nextCursor !== null) {
        page = yield* transcripts.read(session, "chat", 9001, { limit: 100, cursor: page.nextCursor })
        all.push(...sequences(page))
      }
      assert.isFalse(page.hasMore)
      assert.deepStrictEqual(all, range(1, 1001))
    })
  )

  it.effect("a transcript with order=desc begins with the last message", () =>
    Effect.gen(function* () {
      const transcripts = yield* Transcripts
      const session = yield* sessionOf("administrator")
      const page = yield* transcripts.read(session, "chat", 9001, { limit: 3, order: "desc" })
      assert.deepStrictEqual(sequences(page), [1001, 1000, 999])
      const next = yield* transcripts.read(session, "chat", 9001, {
        limit: 2,
        order: "desc",
        cursor: page.nextCursor ?? ""
      })
      assert.deepStrictEqual(sequences(next), [998, 997])
    })
  )

  it.effect("a transcript around a message is a full page, and its cursor continues in order", () =>
    Effect.gen(function* () {
      const transcripts = yield* Transcripts
      const session = yield* sessionOf("administrator")
      const idAt = Effect.fnUntraced(function* (sequence: number) {
        const sql = yield* SqlClient.SqlClient
        const [{ id }] = Row(
          yield* sql`select id::float8 as id, 1 as instance_id from appeal_messages where appeal_id = 9001 and sequence = ${sequence}`
        )
        return id
      })
      const middle = yield* idAt(500)
      const asc = yield* transcripts.read(session, "chat", 9001, {
        around: { id: middle, version: 1 },
        limit: 5
      })
      assert.deepStrictEqual(sequences(asc), range(498, 502))
      const on = yield* transcripts.read(session, "chat", 9001, { limit: 2, cursor: asc.nextCursor ?? "" })
      assert.deepStrictEqual(sequences(on), [503, 504])
      const desc = yield* transcripts.read(session, "chat", 9001, {
        around: { id: middle, version: 1 },
        limit: 5,
        order: "desc"
      })
      assert.deepStrictEqual(sequences(desc), range(498, 502).toReversed())
      const back = yield* transcripts.read(session, "chat", 9001, {
        limit: 2,
        order: "desc",
        cursor: desc.nextCursor ?? ""
      })
      assert.deepStrictEqual(sequences(back), [497, 496])
      const begin = yield* transcripts.read(session, "chat", 9001, {
        around: { id: yield* idAt(1), version: 1 },
        limit: 5
      })
      assert.deepStrictEqual(sequences(begin), range(1, 5))
      const end = yield* transcripts.read(session, "chat", 9001, {
        around: { id: yield* idAt(1001), version: 1 },
        limit: 5
      })
      assert.deepStrictEqual(sequences(end), range(997, 1001))
      assert.isNull(end.nextCursor)
    })
  )

  it.effect("a transcript cursor of another appeal or order, or with around, is INVALID_REQUEST", () =>
    Effect.gen(function* () {
      const transcripts = yield* Transcripts
      const session = yield* sessionOf("administrator")
      const { nextCursor } = yield* transcripts.read(session, "chat", 9001, { limit: 1 })
      const cursor = nextCursor ?? ""
      for (const [appealId, query] of [
        [9002, { cursor }],
        [9001, { cursor, order: "desc" }],
        [9001, { cursor: "bogus" }],
        [9001, { cursor, around: { id: 1, version: 1 } }]
      ] as const) {
        const error = yield* Effect.flip(transcripts.read(session, "chat", appealId, query))
        assert.strictEqual(error._tag, "InvalidRequest")
      }
    })
  )

  it.effect("a transcript of an unknown, foreign or other appeal's message is one NOT_FOUND", () =>
    Effect.gen(function* () {
      const transcripts = yield* Transcripts
      const session = yield* sessionOf("administrator")
      const foreign = yield* sessionOf("other.administrator")
      const failures = [
        yield* Effect.flip(transcripts.read(session, "chat", 987_654_321, {})),
        yield* Effect.flip(transcripts.read(foreign, "chat", 9001, {})),
        yield* Effect.flip(transcripts.read(session, "ticket", 9001, {})),
        yield* Effect.flip(
          transcripts.read(session, "chat", 9001, { around: { id: 987_654_321, version: 1 } })
        )
      ]
      for (const error of failures) {
        assert.strictEqual(error._tag, "NotFound")
        assert.strictEqual(error.detail, failures[0]?.detail)
      }
    })
  )

  it.effect("a transcript without chats.read is ACCESS_DENIED for any id", () =>
    Effect.gen(function* () {
      const transcripts = yield* Transcripts
      const session = { ...(yield* sessionOf("analyst")), permissions: new Set<never>() }
      for (const id of [9001, 987_654_321]) {
        assert.strictEqual(
          (yield* Effect.flip(transcripts.read(session, "chat", id, {})))._tag,
          "AccessDenied"
        )
      }
    })
  )

  it.effect("a transcript page ends before its body exceeds 1 MiB, and pages cover each message", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const transcripts = yield* Transcripts
      const session = yield* sessionOf("administrator")
      yield* sql`insert into appeals (instance_id, id, kind, client_id, channel, status, status_group, created_at)
        select instance_id, 990001, kind, client_id, channel, 'active', 'open', now() from appeals where id = 9001`
      // Letters of one, two and four bytes, and one that JSON writes as six.
      for (const [i, letter] of ["a", "ї", "😀", "\u0001"].entries())
        yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, text, occurred_at, recorded_at)
          select 1, 990001, n * 4 + ${i + 1}, 'client', repeat(${letter}, 65536), now(), now()
          from generate_series(0, 9) n`
      let page = yield* transcripts.read(session, "chat", 990001, { limit: 100 })
      const met = [...page.data]
      while (page.nextCursor !== null) {
        assert.isAtMost(bytes(page), PAGE_BYTES_MAX)
        assert.isAbove(page.data.length, 1)
        page = yield* transcripts.read(session, "chat", 990001, { limit: 100, cursor: page.nextCursor })
        met.push(...page.data)
      }
      assert.deepStrictEqual(sequences({ data: met }), range(1, 40))
      for (const { id, sequence } of met) {
        const around = yield* transcripts.read(session, "chat", 990001, {
          limit: 100,
          around: { id, version: 1 }
        })
        assert.include(sequences(around), sequence)
        assert.isAtMost(bytes(around), PAGE_BYTES_MAX)
        const [first = 0] = sequences(around)
        assert.deepStrictEqual(sequences(around), range(first, first + around.data.length - 1))
      }
    })
  )
})
