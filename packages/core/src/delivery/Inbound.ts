// Receives verified messages and status reports of providers (contract §8, "Inbound").
import type { InboundAnswer, InboundConnector } from "@rapport/contract/delivery/InboundApi.ts"
import { StateNotAllowed } from "@rapport/contract/Errors.ts"
import { PROVIDER_AHEAD_MILLIS_MAX } from "@rapport/contract/Limits.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { inboundMessage, WriteCapacity } from "../capacity/WriteCapacity.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { invalid, unknownRecord } from "../receipts/Writes.ts"
import type { ProviderStatus } from "./DeliveryStatus.ts"
import { InboundStore, type ReceivedMessage } from "./InboundStore.ts"
import { eventIn } from "./TelegramUpdate.ts"

/** StateNotAllowed if the bot or its connector is inactive; after QuotaExceeded the provider retries. */
export class Inbound extends Context.Service<Inbound>()("@rapport/core/delivery/Inbound", {
  make: Effect.gen(function* () {
    const store = yield* InboundStore
    const capacity = yield* WriteCapacity
    const place = Effect.fn("Inbound.receive")(function* (
      connector: InboundConnector,
      message: ReceivedMessage
    ) {
      yield* requireActive(connector)
      yield* capacity.pass(connector.instanceId, inboundMessage)
      return yield* store.receive(connector, message)
    }, orUnavailable)
    return {
      /** InvalidRequest if the provider's time is too far ahead. */
      receive: Effect.fnUntraced(function* (connector: InboundConnector, message: ReceivedMessage) {
        const ahead = (message.occurredAt ?? 0) - (yield* Clock.currentTimeMillis)
        if (ahead > PROVIDER_AHEAD_MILLIS_MAX)
          return yield* invalid([{ path: "timestamp", message: "must be at most 5 minutes ahead" }])
        return yield* place(connector, message)
      }),
      /** InvalidRequest if the connector never sent the message. */
      report: Effect.fn("Inbound.report")(function* (
        connector: InboundConnector,
        { messageId, status }: { readonly messageId: number; readonly status: ProviderStatus }
      ) {
        const raised = yield* store.raise(connector, messageId, status)
        return raised ?? (yield* invalid([unknownRecord("data.messageId")]))
      }, orUnavailable),
      /** Updates other than texts, edits, memberships and moves have no effect. */
      update: Effect.fnUntraced(function* (
        connector: InboundConnector,
        update: Readonly<Record<string, unknown>>
      ) {
        const event = eventIn(update, connector.account)
        if (event?._tag === "Message") return yield* place(connector, event.message)
        if (event !== undefined) yield* requireActive(connector)
        if (event?._tag === "Edited") return (yield* store.edit(connector, event.message)) ?? nothing
        if (event?._tag === "Membership")
          yield* store.setSubscription(connector, event.chatId, event.unsubscribedReason)
        if (event?._tag === "Moved") yield* store.moveChat(connector, event.chatId, event.toChatId)
        return nothing
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Inbound, Inbound.make)
}

const nothing: InboundAnswer = { replayed: false, appealId: null, messageId: null }

const requireActive = ({ active }: InboundConnector) =>
  active
    ? Effect.void
    : Effect.fail(new StateNotAllowed({ detail: "the bot or its connector is not active" }))
