// Secrets of connectors in the database of a running service: no row of any table holds one, rows of before are read and sealed
// at the start, and a new key takes the place of the old one (docs/security.md; docs/operations.md, "Changing keys").
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { signedHeaders } from "../delivery/WebhookSignature.ts"
import { rowsOf, selectedCount, valuesOf } from "../postgres/sql/Query.ts"
import { receiver } from "../testing/ReceiverFixtures.ts"
import type { RunningServer } from "../testing/ServerFixtures.ts"
import { SharedDatabaseFixtures, startOnShared } from "../testing/SharedDatabaseFixtures.ts"

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64url")
const [OLD, NEW] = [keyOf(7), keyOf(9)]
const CANARY = "Y2FuYXJ5LWNhbmFyeS1jYW5hcnktY2FuYXJ5LTAxMjM0NTY3ODk="
const SECRET = `whsec_${CANARY}`
const TOKEN = "123456:AAE-canary_of_a_token"

const tableNames = valuesOf(Schema.String)
const connectorRows = rowsOf(
  Schema.Struct({
    channel: Schema.String,
    secret: Schema.NullOr(Schema.String),
    previousSecret: Schema.NullOr(Schema.String),
    token: Schema.NullOr(Schema.String)
  })
)

/** Runs `body` against a service with these keys, from its start to its end. */
const withKeys = <A, E, R>(
  keys: string,
  body: (server: RunningServer["Service"]) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(
    Effect.flatMap(startOnShared({ RAPPORT_TOKEN_KEYS: keys, RAPPORT_WEBHOOK_ALLOW_PRIVATE: "true" }), body)
  )

/** Tables of the database that hold the text anywhere. */
const holdersOf = Effect.fnUntraced(function* (text: string) {
  const sql = yield* SqlClient.SqlClient
  const holders: Array<string> = []
  for (const name of yield* tableNames.all(sql`select format('%I.%I', schemaname, tablename) as name
      from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`)) {
    const found = yield* selectedCount(
      sql`select count(*)::float8 as count from ${sql.literal(name)} t where strpos(t::text, ${text}) > 0`
    )
    if (found > 0) holders.push(name)
  }
  return holders
})

const connectorsOf = (botId: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    connectorRows.all(
      sql`select channel, secret, previous_secret as "previousSecret", token from bot_connectors where bot_id = ${botId} order by channel`
    )
  )

/** The status that a message of a client gets, signed with the secret. */
const inbound = Effect.fnUntraced(function* (
  server: RunningServer["Service"],
  botId: number,
  id: string,
  channel = "sealed"
) {
  const body = JSON.stringify({
    type: "message.received",
    data: { chatId: "sealed-1", text: "Добрий день", externalMessageId: id }
  })
  const signed = signedHeaders([Redacted.make(SECRET)], { id, body }, yield* Clock.currentTimeMillis)
  const headers = { "content-type": "application/json", ...signed }
  const answer = yield* Effect.promise(() =>
    server.call(`/kw/api/inbound/${botId}/${channel}`, { method: "POST", body, headers })
  )
  return answer.status
})

const write = Effect.fnUntraced(function* (
  { send }: RunningServer["Service"],
  method: string,
  path: string,
  body: object
) {
  const answer = yield* send({ method, path: `/kw/api/v1${path}`, body, key: `canary-${method}` })
  assert.include([200, 201], answer.status, answer.text)
  return answer.body
})

layer(SharedDatabaseFixtures.layer, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
  it.effect(
    "connector secrets are in no row, and survive the removal of their key",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const made = yield* receiver()
        const connectors = [
          { channel: "sealed", kind: "webhook", url: made.origin, secret: SECRET },
          { channel: "rotated", kind: "webhook", url: made.origin, previousSecret: SECRET },
          { channel: "telegram", kind: "telegram", token: TOKEN }
        ]
        const botId = yield* withKeys(OLD, (server) =>
          Effect.gen(function* () {
            const { id } = yield* write(server, "POST", "/bots", { name: "Canary", connectors })
            assert.strictEqual(yield* inbound(server, id, "1"), 200)
            for (const canary of [CANARY.slice(0, 20), "canary_of_a_token"])
              assert.deepStrictEqual(yield* holdersOf(canary), [])
            // As a row was before there was a seal, and as an attacker would move one.
            yield* sql`update bot_connectors set secret = ${SECRET} where bot_id = ${id} and channel = 'sealed'`
            assert.deepStrictEqual(yield* holdersOf(CANARY), ["public.bot_connectors"])
            assert.strictEqual(yield* inbound(server, id, "2"), 200)
            return id as number
          })
        )
        const before = yield* connectorsOf(botId)
        yield* withKeys(`${NEW},${OLD}`, (server) =>
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* holdersOf(CANARY), [])
            assert.strictEqual(yield* inbound(server, botId, "3"), 200)
            // A change of something else keeps them.
            const kept = [
              { channel: "sealed", kind: "webhook", url: made.origin },
              { channel: "rotated", kind: "webhook" },
              { channel: "telegram", kind: "telegram", active: false }
            ]
            yield* write(server, "PATCH", `/bots/${botId}`, { connectors: kept })
          })
        )
        const after = yield* connectorsOf(botId)
        for (const [i, row] of after.entries()) {
          const stored = row.previousSecret ?? row.secret ?? row.token
          assert.match(stored ?? "", /^sealed\.v1\./u)
          assert.notStrictEqual(stored, before[i]?.previousSecret ?? before[i]?.secret ?? before[i]?.token)
        }
        yield* withKeys(NEW, (server) =>
          Effect.gen(function* () {
            assert.strictEqual(yield* inbound(server, botId, "4"), 200)
            assert.strictEqual(yield* inbound(server, botId, "4", "rotated"), 200)
            yield* sql`update bot_connectors set secret = (select other.secret from bot_connectors other
                where other.bot_id = ${botId} and other.channel = 'telegram') where bot_id = ${botId} and channel = 'sealed'`
            assert.strictEqual(yield* inbound(server, botId, "5"), 401)
          })
        )
      }),
    120_000
  )
})
