// Bots with their connectors, and nodes, in PostgreSQL (contract §8). Responses never read the columns of secrets.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Bot, BotNode, bots, connectorKinds, nodes } from "@rapport/contract/scenarios/Bot.ts"
import { mapYielding } from "@rapport/core/scenarios/Connectors.ts"
import { changedMembers } from "@rapport/core/receipts/Writes.ts"
import { BotStore, type StoredBot, type StoredConnector } from "@rapport/core/scenarios/BotStore.ts"
import { Effect, Layer, Schema, Struct } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { ConnectorSeal, keepSealed, type Seal, type SealedPlace } from "../../access/ConnectorSeal.ts"
import { listRows } from "../sql/ListQuery.ts"
import { insertedId, query, queryOr, updateLocked, valuesOf } from "../sql/Query.ts"
import { ownRecords } from "../sql/OwnRecords.ts"
import { columnsOf, recordJson } from "../sql/Columns.ts"
import { audit, uniqueTaken } from "../sql/Records.ts"
import { rowsAs } from "../sql/RowsAs.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { callerOf } from "../sql/Visibility.ts"

const connectorsOf = (members: string): string => `(select coalesce(json_agg(json_build_object(${members})
    order by connector.place), '[]') from bot_connectors connector where connector.instance_id = bot.instance_id
      and connector.bot_id = bot.id)`
const shownConnector = `'channel', connector.channel, 'kind', connector.kind, 'url', connector.url, 'active',
  connector.active`

const botRecords = ownRecords(Bot, {
  collection: bots,
  table: "bots",
  name: "bot",
  columns: {
    id: { required: true },
    name: { required: true },
    connectors: { sql: connectorsOf(shownConnector) }
  }
})
const nodeColumns = columnsOf("node", BotNode.fields, {
  id: { required: true },
  name: { required: true }
})
const storedJson = recordJson(
  columnsOf("bot", Bot.fields, {
    connectors: {
      sql: connectorsOf(`${shownConnector}, 'secret', connector.secret, 'previousSecret',
        connector.previous_secret, 'token', connector.token`)
    }
  }),
  bots.members
)
const nodeJson = recordJson(nodeColumns, nodes.members)

const nodeRows = valuesOf(BotNode)
const storedRows = valuesOf(
  Schema.Struct({
    ...Bot.fields,
    connectors: Schema.Array(
      Schema.Struct({
        channel: Schema.String,
        kind: Schema.Literals(connectorKinds),
        url: Schema.NullOr(Schema.String),
        active: Schema.Boolean,
        secret: Schema.String,
        previousSecret: Schema.NullOr(Schema.String),
        token: Schema.NullOr(Schema.String)
      })
    )
  })
)

const taken = uniqueTaken({ bot_nodes_alias: "connectorAlias is in use" })

type Store = BotStore["Service"]

export const layer: Layer.Layer<BotStore, never, SqlClient.SqlClient> = Layer.effect(
  BotStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return BotStore.of({ ...botOperations(sql, yield* ConnectorSeal), ...nodeOperations(sql) })
  })
)

const botOperations = (sql: Sql, seal: Seal) =>
  ({
    listBots: botRecords.makeList("BotStore.listBots", sql),
    findBot: botRecords.makeFind("BotStore.findBot", sql),

    createBot: query("BotStore.createBot", function* (session, content) {
      const id = yield* insertedId(sql`insert into bots (instance_id, name, active)
            values (${session.instanceId}, ${content.name}, ${content.active}) returning id::float8 as id`)
      yield* setConnectors(sql, seal, session, id, content.connectors)
      yield* audit(sql, session, { action: "bot.create", id })
      return { id, ...shownBot(content) }
    }),

    updateBot: (session, id, decide) =>
      Effect.map(
        updateLocked("BotStore.updateBot", unavailableOrDie, {
          find: lockBot(sql, seal, session, id),
          decide: (found) => Effect.map(decide(found), (next) => (next === null ? null : { ...next, id })),
          write: Effect.fnUntraced(function* (next: StoredBot, found: StoredBot) {
            yield* sql`update bots set name = ${next.name}, active = ${next.active}
                where instance_id = ${session.instanceId} and id = ${id}`
            if (next.connectors !== found.connectors)
              yield* setConnectors(sql, seal, session, id, next.connectors)
            const changed = [
              ...changedMembers(
                Struct.pick(found, ["name", "active"]),
                Struct.pick(next, ["name", "active"])
              ),
              ...(next.connectors === found.connectors ? [] : ["connectors"])
            ]
            yield* audit(sql, session, { action: "bot.update", id, details: { changed } })
            return next
          })
        }),
        (bot) => (bot === undefined ? undefined : { id, ...shownBot(bot) })
      )
  }) satisfies Partial<Store>

const nodeOperations = (sql: Sql) =>
  ({
    listNodes: query("BotStore.listNodes", (session, botId, request) =>
      listRows(
        sql,
        {
          collection: nodes,
          common: callerOf(session),
          from: sql.literal("bot_nodes node, caller u"),
          where: sql`node.instance_id = u.instance_id and node.bot_id = ${botId}`,
          columns: nodeColumns
        },
        request
      )
    ),

    findNode: query("BotStore.findNode", (session, botId, id) => nodeOf(sql, session, botId, id)),

    createNode: queryOr("BotStore.createNode", taken, function* (session, botId, content) {
      const made =
        yield* nodeRows.get(sql`insert into bot_nodes as node (instance_id, bot_id, name, connector_alias, template,
            active)
            values (${session.instanceId}, ${botId}, ${content.name}, ${content.connectorAlias}, ${content.template},
              ${content.active}) returning ${sql.literal(nodeJson)} as record`)
      yield* audit(sql, session, { action: "node.create", id: made.id, details: { botId } })
      return made
    }),

    updateNode: (session, botId, id, decide) =>
      updateLocked("BotStore.updateNode", taken, {
        find: nodeOf(sql, session, botId, id, "for no key update of node"),
        decide,
        write: Effect.fnUntraced(function* (next, found) {
          yield* sql`update bot_nodes set name = ${next.name}, connector_alias = ${next.connectorAlias},
                template = ${next.template}, active = ${next.active}
              where instance_id = ${session.instanceId} and id = ${id}`
          const details = { botId, changed: changedMembers(found, next) }
          yield* audit(sql, session, { action: "node.update", id, details })
          return next
        })
      })
  }) satisfies Partial<Store>

const nodeOf = (sql: Sql, session: AuthorizedSession, botId: number, id: number, lock = "") =>
  nodeRows.find(sql`with ${callerOf(session)} select ${sql.literal(nodeJson)} as record
    from bot_nodes node, caller u where node.instance_id = u.instance_id and node.bot_id = ${botId} and node.id = ${id}
    ${sql.literal(lock)}`)

const setConnectors = Effect.fnUntraced(function* (
  sql: Sql,
  seal: Seal,
  { instanceId }: AuthorizedSession,
  botId: number,
  connectors: ReadonlyArray<StoredConnector>
) {
  yield* sql`delete from bot_connectors where instance_id = ${instanceId} and bot_id = ${botId}`
  if (connectors.length === 0) return
  const rows = yield* mapYielding(connectors, (connector) => {
    const { active, channel, kind, url } = connector
    const sealMember = (member: SealedPlace["member"]) => {
      const value = connector[member]
      return value === null ? null : seal.seal({ instanceId, botId, channel, member }, value)
    }
    return {
      "channel text": channel,
      "kind text": kind,
      "url text": url,
      "active bool": active,
      "secret text": sealMember("secret"),
      "previous_secret text": sealMember("previousSecret"),
      "token text": sealMember("token")
    }
  })
  const columns = sql.literal("channel, kind, url, secret, previous_secret, token, active")
  yield* sql`insert into bot_connectors (instance_id, bot_id, place, ${columns})
    select ${instanceId}, ${botId}, place - 1, ${columns} from ${rowsAs("connector", rows)}`
})

type SealedConnector = Omit<StoredConnector, SealedPlace["member"]> & {
  readonly secret: string
  readonly previousSecret: string | null
  readonly token: string | null
}

/** Locks the bot and returns it with its secrets. */
const lockBot = Effect.fnUntraced(function* (
  sql: Sql,
  seal: Seal,
  session: AuthorizedSession,
  id: number
): Effect.fn.Return<StoredBot | undefined, SqlError.SqlError> {
  const found =
    yield* storedRows.find(sql`with ${callerOf(session)} select ${sql.literal(storedJson)} as record
      from bots bot, caller u where bot.instance_id = u.instance_id and bot.id = ${id} for no key update of bot`)
  return found && { ...found, connectors: yield* openedConnectors(seal, session, id, found.connectors) }
})

const openedConnectors = (
  seal: Seal,
  { instanceId }: AuthorizedSession,
  botId: number,
  connectors: ReadonlyArray<SealedConnector>
): Effect.Effect<ReadonlyArray<StoredConnector>> =>
  mapYielding(connectors, (connector) => {
    const { channel, previousSecret, secret, token } = connector
    // Keeps a text that no key opens.
    const openMember = (member: SealedPlace["member"], stored: string) =>
      seal.open({ instanceId, botId, channel, member }, stored) ?? keepSealed(stored)
    return {
      ...connector,
      secret: openMember("secret", secret),
      previousSecret: previousSecret === null ? null : openMember("previousSecret", previousSecret),
      token: token === null ? null : openMember("token", token)
    }
  })

const shownBot = ({
  active,
  connectors,
  name
}: Pick<StoredBot, "active" | "connectors" | "name">): Omit<Bot, "id"> => ({
  name,
  active,
  connectors: connectors.map(({ active, channel, kind, url }) => ({ channel, kind, url, active }))
})
