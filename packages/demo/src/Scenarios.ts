// The bot of the first company and the nodes of its scenario, in the languages of its clients. Its webhook connector, which
// leads to the phone of the demo, is not of the data: the service that shows the phone adds it, for the channel telegram, where
// the examples of the document write to client 501.
import { fixedIds } from "./Company.ts"
import type { BotNodeRow, BotRow } from "./SeedRows.ts"

const BOT = 1

type Line = readonly [name: string, alias: string | null, template: string | null]
const lines: ReadonlyArray<Line> = [
  ["Повідомлення як є", "message", null],
  [
    "Замовлення в дорозі",
    "order",
    "{{name|Шановний клієнте}}, ваше замовлення {{order|вже}} в дорозі. {{message}}"
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
