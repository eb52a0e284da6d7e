// The bot of the first company and the nodes of its scenario, in the languages of its clients. The service gives it a connector
// to the phone of the demo.
import { fixedIds } from "./Company.ts"
import nodes from "./data/bot-nodes.json" with { type: "json" }
import type { BotNodeRow, BotRow } from "./SeedRows.ts"

const BOT = 1

export const bots = (instanceId: number): ReadonlyArray<BotRow> =>
  instanceId === fixedIds.instance ? [{ instanceId, id: BOT, name: "Помічник" }] : []

export const botNodes = (instanceId: number): ReadonlyArray<BotNodeRow> =>
  instanceId === fixedIds.instance
    ? nodes.map(({ connectorAlias, name, template }, i) => ({
        instanceId,
        id: i + 1,
        botId: BOT,
        name,
        connectorAlias,
        template
      }))
    : []
