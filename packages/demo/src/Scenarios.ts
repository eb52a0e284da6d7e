// The bot of the first company and the nodes of its scenario, in the languages of its clients. The service gives it a connector
// to the phone of the demo.
import { fixedIds } from "./Company.ts"
import type { BotNodeRow, BotRow } from "./SeedRows.ts"

const BOT = 1

type Line = readonly [name: string, alias: string | null, template: string | null]
const lines: ReadonlyArray<Line> = [
  ["Повідомлення як є", "message", null],
  [
    "Замовлення в дорозі",
    "order-shipped",
    "{{name|Вітаємо}}! Ваше замовлення {{order|}} вже в дорозі. {{message}}"
  ],
  ["Счёт готов", "invoice", "{{name|Уважаемый клиент}}, ваш счёт{{period|}} готов: {{message}}"],
  [
    "A visit is planned",
    "visit",
    "{{name|Dear client}}, our engineer comes on {{day|the agreed day}}. {{message}}"
  ]
]

export const bots = (instanceId: number): ReadonlyArray<BotRow> =>
  instanceId === fixedIds.instance ? [{ instanceId, id: BOT, name: "Помічник" }] : []

export const botNodes = (instanceId: number): ReadonlyArray<BotNodeRow> =>
  instanceId === fixedIds.instance
    ? lines.map(([name, connectorAlias, template], i) => ({
        instanceId,
        id: i + 1,
        botId: BOT,
        name,
        connectorAlias,
        template
      }))
    : []
