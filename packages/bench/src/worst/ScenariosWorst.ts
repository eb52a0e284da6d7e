// Bots, nodes, calls and broadcasts: the largest legal bodies of each route (docs/security.md).
import { many, text } from "./Bodies.ts"
import type { Entries } from "./WorstRequests.ts"

const connectors = () =>
  many(1_000, (n) => ({
    channel: `c${n}`,
    kind: "webhook",
    url: `https://chat.example.com/${n}`,
    secret: `whsec_${Buffer.alloc(64, n % 256).toString("base64")}`
  }))
/** As many places as a template holds. */
const template = () => "{{a}}".repeat(2_000)
const callData = () => ({ message: text(4_096), a: "я".repeat(32), filler: text(20_000) })
const audience = () => ({ clientIds: many(1_000, (n) => 501 + (n % 20)) })
const variables = () => ({ a: "x".repeat(16_000) })

export const entries: Entries = {
  createBot: () => [["1,000 connectors", () => ({ name: text(200), connectors: connectors() })]],
  updateBot: () => [["1,000 connectors", () => ({ connectors: connectors() })]],
  createNode: () => [["2,000 places", () => ({ name: text(200), template: template() })]],
  updateNode: () => [["2,000 places", () => ({ template: template() })]],
  callNode: () => [
    ["2,000 places, 60 KiB of data", () => ({ data: callData() })],
    ["a text that is too long", () => ({ data: { ...callData(), a: "x".repeat(40_000), filler: "" } })]
  ],
  callNodeByAlias: ({ botChatId, callingBotId }) => [
    [
      "2,000 places, 60 KiB of data",
      () => ({
        bot_id: callingBotId,
        connector_alias: "worst",
        channel: "web",
        chat_id: botChatId,
        data: callData()
      })
    ]
  ],
  createTemplate: () => [["2,000 places", () => ({ name: text(200), text: template() })]],
  updateTemplate: () => [["2,000 places", () => ({ expectedVersion: 1, text: template() })]],
  createBroadcast: ({ callingBotId, templateId }) => [
    [
      "1,000 clients",
      () => ({
        name: text(200),
        botId: callingBotId,
        templateId,
        channel: "web",
        variables: variables(),
        audience: audience()
      })
    ]
  ],
  updateBroadcast: () => [
    ["1,000 clients", () => ({ expectedVersion: 1, variables: variables(), audience: audience() })]
  ]
}
