// Calls of a node: a message that a bot sends to a client (contract §8). Members are in snake_case.
import { Predicate, Schema } from "effect"
import type { Violation } from "../Errors.ts"
import { CALL_MESSAGE_POINTS_MAX } from "../Limits.ts"
import { isUnknown } from "../values/CollectFaults.ts"
import { PositiveInt, UuidV7 } from "../values/Ids.ts"
import { AnyObject, ExternalId, ShortText } from "../values/Members.ts"
import { pointsOf, withRules } from "../values/Checks.ts"
import { Time } from "../values/Time.ts"

export const deliveredStatuses = ["queued", "sent", "delivered", "read", "failed"] as const
const Delivered = Schema.Literals(deliveredStatuses)

/** The data of a call. Every member is a variable of the template. */
export type Variables = Readonly<Record<string, unknown>>

const messageFaults = (data: Variables): ReadonlyArray<Violation> => {
  const path = "data.message"
  const message = Object.hasOwn(data, "message") ? data["message"] : undefined
  if (message === undefined) return [{ path, message: "is required" }]
  if (typeof message !== "string") return [{ path, message: "must be a string" }]
  const points = pointsOf(message)
  return points >= 1 && points <= CALL_MESSAGE_POINTS_MAX
    ? []
    : [{ path, message: `must have 1 to ${CALL_MESSAGE_POINTS_MAX} characters` }]
}

const wrappedIn = (body: Variables): Variables | undefined => {
  const data = Object.hasOwn(body, "data") ? body["data"] : undefined
  return Predicate.isReadonlyObject(data) && !Object.hasOwn(body, "message") ? data : undefined
}

/** The data of the route with ids in the path: the member data, or the body itself if it has a message. */
export const variablesIn = (body: Variables): Variables => wrappedIn(body) ?? body

/** The body of the route with ids in the path: `{"data": {…}}`, or the data itself. */
export const NodeCall = withRules((body) => [
  ...(wrappedIn(body) === undefined
    ? []
    : Object.keys(body).flatMap((path) => (path === "data" ? [] : [{ path, message: isUnknown }]))),
  ...messageFaults(variablesIn(body))
])(AnyObject)

export const AliasCall = withRules(({ data }) =>
  Predicate.isReadonlyObject(data) ? messageFaults(data) : []
)(
  Schema.Struct({
    bot_id: PositiveInt,
    connector_alias: ShortText,
    channel: ShortText,
    chat_id: ExternalId,
    data: AnyObject
  })
).annotate({
  identifier: "AliasCall",
  examples: [
    {
      bot_id: 1,
      connector_alias: "order-shipped",
      channel: "phone",
      chat_id: "501",
      data: { message: "Your order is on its way", order: "W-1042" }
    }
  ]
})
export type AliasCall = typeof AliasCall.Type

/** callId is the delivery id, which the receiver sees as webhook-id. */
export const CallAccepted = Schema.Struct({
  status: Schema.Literal("success"),
  message: Schema.String,
  callId: UuidV7,
  delivery: Delivered
}).annotate({ identifier: "CallAccepted" })
export type CallAccepted = typeof CallAccepted.Type

export const Call = Schema.Struct({
  callId: UuidV7,
  status: Delivered,
  reason: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  messageId: PositiveInt,
  appealId: PositiveInt,
  createdAt: Time,
  updatedAt: Time
}).annotate({ identifier: "Call" })
export type Call = typeof Call.Type
