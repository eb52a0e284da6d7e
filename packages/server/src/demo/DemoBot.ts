// Gives the bot of the demo a connector to the phone of client 501.
import { Effect, Redacted, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { randomBytes } from "node:crypto"
import { ConnectorSeal } from "../access/ConnectorSeal.ts"
import { rowsOf } from "../postgres/sql/Query.ts"

export const PHONE_CHANNEL = "phone"
const PHONE_CHAT_ID = "501"
const PHONE_CLIENT_ID = 501
const INSTANCE_ID = 1
const SECRET_BYTES = 32

/** The URL of an earlier start of the demo, which may be replaced. */
const OWN_URL = "http://127.0.0.1:%/demo-phone"

const botRows = rowsOf(
  Schema.Struct({ botId: Schema.Int, secret: Schema.String, url: Schema.NullOr(Schema.String) })
)
const idRows = rowsOf(Schema.Struct({ botId: Schema.Int }))
const clientRows = rowsOf(Schema.Struct({ name: Schema.String }))

export interface DemoBot {
  readonly botId: number
  readonly chatId: string
  /** The owner of the phone. */
  readonly clientName: string
}

/** Undefined if another connector uses the channel, or client 501 is removed. */
export const ensureDemoBot = Effect.fnUntraced(function* (
  url: string
): Effect.fn.Return<DemoBot | undefined, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      // Several processes of one demo may start in parallel.
      yield* sql`select 1 from instances where id = ${INSTANCE_ID} for update`
      const client = yield* clientRows.find(
        sql`select name from clients where instance_id = ${INSTANCE_ID} and id = ${PHONE_CLIENT_ID}`
      )
      if (client === undefined) return undefined
      yield* sql`insert into client_identities (instance_id, channel, chat_id, client_id)
        values (${INSTANCE_ID}, ${PHONE_CHANNEL}, ${PHONE_CHAT_ID}, ${PHONE_CLIENT_ID}) on conflict do nothing`
      const found = yield* connectorOf
      if (found === undefined) yield* addConnector(url)
      else
        yield* sql`update bot_connectors set url = ${url} where instance_id = ${INSTANCE_ID} and bot_id = ${found.botId}
          and channel = ${PHONE_CHANNEL} and url like ${OWN_URL}`
      const bot = yield* connectorOf
      return bot === undefined || bot.url !== url
        ? undefined
        : { botId: bot.botId, chatId: PHONE_CHAT_ID, clientName: client.name }
    })
  )
})

const connectorOf = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  botRows.find(sql`select bot_id::float8 as "botId", secret, url from bot_connectors
    where instance_id = ${INSTANCE_ID} and channel = ${PHONE_CHANNEL} and kind = 'webhook' order by bot_id limit 1`)
)

const addConnector = Effect.fnUntraced(function* (url: string) {
  const sql = yield* SqlClient.SqlClient
  const seal = yield* ConnectorSeal
  const bot = yield* idRows.find(
    sql`select id::float8 as "botId" from bots where instance_id = ${INSTANCE_ID} order by id limit 1`
  )
  if (bot === undefined) return
  const secret = seal.seal(
    { instanceId: INSTANCE_ID, botId: bot.botId, channel: PHONE_CHANNEL, member: "secret" },
    Redacted.make(`whsec_${randomBytes(SECRET_BYTES).toString("base64")}`)
  )
  yield* sql`insert into bot_connectors (instance_id, bot_id, channel, place, kind, url, secret)
    select ${INSTANCE_ID}, b.id, ${PHONE_CHANNEL}, (select count(*) from bot_connectors k
        where k.instance_id = b.instance_id and k.bot_id = b.id), 'webhook', ${url}, ${secret}
    from bots b where b.instance_id = ${INSTANCE_ID} and b.id = ${bot.botId} on conflict do nothing`
})
