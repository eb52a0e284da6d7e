// Bots with their connectors and nodes (contract §8).
import { Schema } from "effect"
import { CONNECTOR_SECRET_CHARACTERS_MAX, WEBHOOK_URL_CHARACTERS_MAX } from "../Limits.ts"
import { collectionOf } from "../lists/Collection.ts"
import { PositiveInt } from "../values/Ids.ts"
import { emptiable, listOf, LongText, ShortText } from "../values/Members.ts"
import { repetitionsIn, textOf, withRules } from "../values/Checks.ts"

export const connectorKinds = ["webhook", "telegram"] as const
const ConnectorKind = Schema.Literals(connectorKinds)

/** How a channel is reached. Secret and token are never shown. */
const Connector = Schema.Struct({
  channel: Schema.String,
  kind: ConnectorKind,
  url: Schema.NullOr(Schema.String),
  active: Schema.Boolean
}).annotate({ identifier: "Connector" })

export const Bot = Schema.Struct({
  id: PositiveInt,
  name: Schema.String,
  active: Schema.Boolean,
  connectors: Schema.Array(Connector)
}).annotate({ identifier: "Bot" })
export type Bot = typeof Bot.Type

/** The answer of a write. A generated secret is shown once, and is null in a replay. */
export const BotWithSecrets = Schema.Struct({
  ...Bot.fields,
  connectors: Schema.Array(
    Schema.Struct({ ...Connector.fields, secret: Schema.NullOr(Schema.String) }).annotate({
      identifier: "WrittenConnector"
    })
  )
}).annotate({ identifier: "BotWithSecrets" })
export type BotWithSecrets = typeof BotWithSecrets.Type

const Secret = textOf(1, CONNECTOR_SECRET_CHARACTERS_MAX)
const Url = textOf(1, WEBHOOK_URL_CHARACTERS_MAX)

const ConnectorRequest = Schema.Struct({
  channel: ShortText,
  kind: ConnectorKind,
  url: Schema.optionalKey(Url),
  secret: Schema.optionalKey(Secret),
  previousSecret: Schema.optionalKey(Secret),
  token: Schema.optionalKey(Secret),
  active: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "ConnectorRequest" })

/** Absent members of a connector of the same channel and kind keep their value. */
const ConnectorPatch = Schema.Struct({
  ...ConnectorRequest.fields,
  url: emptiable(Url),
  previousSecret: emptiable(Secret)
}).annotate({ identifier: "ConnectorPatch" })
export type ConnectorPatch = typeof ConnectorPatch.Type

const channelsOnce = withRules((body) =>
  repetitionsIn(body, "connectors", "channel", "must not have two connectors")
)

export const BotRequest = channelsOnce(
  Schema.Struct({
    name: ShortText,
    active: Schema.optionalKey(Schema.Boolean),
    connectors: Schema.optionalKey(listOf(ConnectorRequest))
  })
).annotate({
  identifier: "BotRequest",
  examples: [
    {
      name: "Delivery helper",
      connectors: [{ channel: "web", kind: "webhook", url: "https://chat.example.com/rapport" }]
    }
  ]
})
export type BotRequest = typeof BotRequest.Type

/** `connectors` replaces all connectors. */
export const BotPatch = channelsOnce(
  Schema.Struct({
    ...BotRequest.fields,
    name: Schema.optionalKey(ShortText),
    connectors: Schema.optionalKey(listOf(ConnectorPatch))
  })
).annotate({ identifier: "BotPatch", examples: [{ name: "Delivery helper" }] })
export type BotPatch = typeof BotPatch.Type

export const bots = collectionOf("bots", Bot)

/** A node of a scenario, called by its id or alias. */
export const BotNode = Schema.Struct({
  id: PositiveInt,
  botId: PositiveInt,
  name: Schema.String,
  connectorAlias: Schema.NullOr(Schema.String),
  template: Schema.NullOr(Schema.String),
  active: Schema.Boolean
}).annotate({ identifier: "BotNode" })
export type BotNode = typeof BotNode.Type

const Template = LongText.annotate({
  description:
    "The text that is sent: {{name}} is a variable of the call, {{name|default}} an optional one, {{{{ writes {{. Without a template, data.message is sent"
})

export const NodeRequest = Schema.Struct({
  name: ShortText,
  connectorAlias: Schema.optionalKey(ShortText),
  template: Schema.optionalKey(Template),
  active: Schema.optionalKey(Schema.Boolean)
}).annotate({
  identifier: "NodeRequest",
  examples: [{ name: "Order shipped", template: "{{name|Dear client}}, your order {{order}} is on its way." }]
})
export type NodeRequest = typeof NodeRequest.Type

export const NodePatch = Schema.Struct({
  name: Schema.optionalKey(ShortText),
  connectorAlias: emptiable(ShortText),
  template: emptiable(Template),
  active: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "NodePatch", examples: [{ name: "Order shipped" }] })
export type NodePatch = typeof NodePatch.Type

export const nodes = collectionOf("nodes", BotNode)
