// Broadcasts, their templates and recipients (contract §9.1).
import { Schema } from "effect"
import { BroadcastRateLimits } from "../Limits.ts"
import { collectionOf } from "../lists/Collection.ts"
import { distinct } from "../values/Distinct.ts"
import { PositiveInt, UuidV7, Version } from "../values/Ids.ts"
import { integerFrom } from "../values/Numbers.ts"
import { emptiable, AnyObject, expectedVersion, FreeObject, LongText, ShortText } from "../values/Members.ts"
import { withRules } from "../values/Checks.ts"
import { Time } from "../values/Time.ts"

/** `text` is a template like that of a node: {{name}}, {{name|default}}. */
export const MessageTemplate = Schema.Struct({
  id: PositiveInt,
  name: Schema.String,
  text: Schema.NullOr(Schema.String),
  version: Version
}).annotate({ identifier: "MessageTemplate" })
export type MessageTemplate = typeof MessageTemplate.Type

export const TemplateRequest = Schema.Struct({
  name: ShortText,
  text: Schema.optionalKey(LongText)
}).annotate({
  identifier: "MessageTemplateRequest",
  examples: [{ name: "Планові роботи", text: "{{name}}, завтра {{time|вночі}} можливі перерви звʼязку." }]
})
export type TemplateRequest = typeof TemplateRequest.Type

export const TemplatePatch = Schema.Struct({
  expectedVersion,
  name: Schema.optionalKey(ShortText),
  text: emptiable(LongText)
}).annotate({
  identifier: "MessageTemplatePatch",
  examples: [{ expectedVersion: 1, name: "Планові роботи" }]
})
export type TemplatePatch = typeof TemplatePatch.Type

export const templates = collectionOf("broadcasts/templates", MessageTemplate)

export const broadcastStatuses = [
  "draft",
  "scheduled",
  "running",
  "paused",
  "completed",
  "cancelled",
  "failed"
] as const
export const BroadcastStatus = Schema.Literals(broadcastStatuses)
export type BroadcastStatus = typeof BroadcastStatus.Type

const someIds = distinct(PositiveInt, { ifEmpty: "must have at least one item" })

/** Either client ids, or a filter of GET /clients. */
const Audience = withRules((audience) =>
  (audience["clientIds"] === undefined) === (audience["filter"] === undefined)
    ? [{ path: "", message: "must have either clientIds or filter" }]
    : []
)(Schema.Struct({ clientIds: Schema.optionalKey(someIds), filter: Schema.optionalKey(AnyObject) })).annotate({
  identifier: "Audience",
  description:
    "Either clientIds, or a filter with the fields of GET /clients: {field: value} or {field: {op: value}}"
})
export type Audience = typeof Audience.Type

export const Broadcast = Schema.Struct({
  id: PositiveInt,
  name: Schema.String,
  botId: Schema.NullOr(PositiveInt),
  channel: Schema.NullOr(Schema.String),
  templateId: Schema.NullOr(PositiveInt),
  variables: Schema.Record(Schema.String, Schema.Unknown),
  audience: Schema.NullOr(
    Schema.Struct({
      clientIds: Schema.optionalKey(Schema.Array(PositiveInt)),
      filter: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
    })
  ),
  scheduledAt: Schema.NullOr(Time),
  ratePerMinute: Schema.Int,
  status: BroadcastStatus,
  createdAt: Time,
  startedAt: Schema.NullOr(Time),
  completedAt: Schema.NullOr(Time),
  version: Version
}).annotate({ identifier: "Broadcast" })
export type Broadcast = typeof Broadcast.Type

const Rate = integerFrom(BroadcastRateLimits.minimum, BroadcastRateLimits.maximum)

export const BroadcastRequest = Schema.Struct({
  name: ShortText,
  botId: Schema.optionalKey(PositiveInt),
  channel: Schema.optionalKey(ShortText),
  templateId: Schema.optionalKey(PositiveInt),
  variables: Schema.optionalKey(FreeObject),
  audience: Schema.optionalKey(Audience),
  scheduledAt: Schema.optionalKey(Time),
  ratePerMinute: Schema.optionalKey(Rate.annotate({ default: BroadcastRateLimits.default }))
}).annotate({
  identifier: "BroadcastRequest",
  examples: [
    {
      name: "Планові роботи",
      botId: 1,
      channel: "phone",
      templateId: 1,
      variables: { time: "з 02:00 до 04:00" },
      audience: { filter: { language: "uk" } },
      ratePerMinute: 6
    }
  ]
})
export type BroadcastRequest = typeof BroadcastRequest.Type

export const BroadcastPatch = Schema.Struct({
  expectedVersion,
  name: Schema.optionalKey(ShortText),
  botId: emptiable(PositiveInt),
  channel: emptiable(ShortText),
  templateId: emptiable(PositiveInt),
  variables: Schema.optionalKey(FreeObject),
  audience: emptiable(Audience),
  scheduledAt: emptiable(Time),
  ratePerMinute: Schema.optionalKey(Rate)
}).annotate({ identifier: "BroadcastPatch", examples: [{ expectedVersion: 1, ratePerMinute: 120 }] })
export type BroadcastPatch = typeof BroadcastPatch.Type

export const broadcasts = collectionOf("broadcasts", Broadcast)

/** `skipped` counts by reason: not_subscribed, no_identity. */
export const BroadcastPreview = Schema.Struct({
  total: Schema.Int,
  eligible: Schema.Int,
  skipped: Schema.Record(Schema.String, Schema.Int),
  samples: Schema.Array(Schema.Struct({ clientId: PositiveInt, chatId: Schema.String, text: Schema.String }))
}).annotate({ identifier: "BroadcastPreview" })
export type BroadcastPreview = typeof BroadcastPreview.Type

export const BroadcastResults = Schema.Struct({
  total: Schema.Int,
  queued: Schema.Int,
  sent: Schema.Int,
  delivered: Schema.Int,
  read: Schema.Int,
  failed: Schema.Int,
  skipped: Schema.Int
}).annotate({ identifier: "BroadcastResults" })
export type BroadcastResults = typeof BroadcastResults.Type

export const recipientStatuses = ["queued", "sent", "delivered", "read", "failed", "skipped"] as const

/** deliveryId is set at the start, null for skipped recipients. It is the webhook-id that the receiver sees. */
export const Recipient = Schema.Struct({
  id: PositiveInt,
  clientId: PositiveInt,
  channel: Schema.String,
  chatId: Schema.NullOr(Schema.String),
  status: Schema.Literals(recipientStatuses),
  deliveryId: Schema.NullOr(UuidV7),
  reason: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  updatedAt: Time
}).annotate({ identifier: "Recipient" })

export const recipients = collectionOf("broadcasts/recipients", Recipient)
