// One attempt to deliver, whatever the connector: its span, its count, and what becomes of the delivery (contract §8).
import { Cause, Clock, Effect, Metric, Random } from "effect"
import { type Attempt, TelegramConnector, WebhookConnector } from "./Connector.ts"
import type { DueDelivery, Settlement } from "./DeliveryLines.ts"
import { type RetrySettings, retryDelay } from "./RetryPolicy.ts"

/** Between the parts of one text: Telegram takes about one message a second of a chat. */
const PART_PAUSE_MILLIS = 1_000

/** What is known after an attempt. */
export interface Attempted {
  readonly settlement: Settlement
  /** Whether the receiver answered; undefined where it was not asked. */
  readonly hasAnswered: boolean | undefined
  /** The connector rests until then, milliseconds of the clock; undefined: it does not. */
  readonly restsUntil: number | undefined
}

/** Never fails: what breaks is an attempt like any other that was not answered. */
export const makeAttempt = Effect.fnUntraced(function* (settings: RetrySettings) {
  const webhook = yield* WebhookConnector
  const telegram = yield* TelegramConnector
  const send = (delivery: DueDelivery): Effect.Effect<Attempt> => {
    const { target } = delivery
    if (target === null) return Effect.succeed(inactive)
    if (target.kind === "sealed") return Effect.succeed(sealed)
    return target.kind === "webhook" ? webhook.attempt(target, delivery) : telegram.attempt(target, delivery)
  }
  return Effect.fnUntraced(
    function* (delivery: DueDelivery) {
      const attempt = yield* Effect.catchCauseIf(
        send(delivery),
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.as(Effect.logError("an attempt to deliver broke", cause), broken)
      )
      yield* counted(delivery, attempt)
      const now = yield* Clock.currentTimeMillis
      return {
        settlement: settlementOf(settings, delivery, attempt, yield* Random.next),
        hasAnswered: attempt._tag !== "Refused" || attempt === inactive ? true : attempt.hasAnswered,
        restsUntil:
          attempt._tag === "Refused" && attempt.isThrottled === true
            ? now + (attempt.retryAfterMillis ?? 0)
            : undefined
      } satisfies Attempted
    },
    (effect, delivery) => Effect.withSpan(effect, "DeliveryWorker.attempt", spanOf(delivery))
  )
})

const counted = (delivery: DueDelivery, attempt: Attempt) => {
  const outcome =
    attempt._tag === "Sent" ? "sent" : attempt._tag === "PartSent" ? "part_sent" : attempt.reason
  const connector = delivery.target?.kind ?? "none"
  return Effect.andThen(
    Effect.annotateCurrentSpan("rapport.delivery.outcome", outcome),
    Metric.update(Metric.withAttributes(attempts, { kind: delivery.kind, connector, outcome }), 1)
  )
}

const attempts = Metric.counter("rapport.delivery.attempts", {
  description: "attempts to deliver a message, by how they ended",
  incremental: true
})

const spanOf = ({ attempts: made, id, kind, target }: DueDelivery) =>
  ({
    kind: "client",
    attributes: {
      "rapport.delivery.id": id,
      "rapport.delivery.kind": kind,
      "rapport.delivery.connector": target?.kind ?? "none",
      "rapport.delivery.attempt": made + 1
    }
  }) as const

const inactive: Attempt = {
  _tag: "Refused",
  reason: "connector_inactive",
  isFinal: true,
  hasAnswered: true
}
const sealed: Attempt = { _tag: "Refused", reason: "secret_unreadable", isFinal: false, hasAnswered: false }
const broken: Attempt = { _tag: "Refused", reason: "internal_error", isFinal: false, hasAnswered: false }

/** What becomes of a delivery after this attempt; `random` is in [0, 1). */
const settlementOf = (
  settings: RetrySettings,
  { attempts: before }: Pick<DueDelivery, "attempts">,
  attempt: Attempt,
  random: number
): Settlement => {
  if (attempt._tag === "Sent") return { _tag: "Sent" }
  if (attempt._tag === "PartSent") {
    const { goneUnits } = attempt
    return { _tag: "Advanced", goneUnits, delayMillis: PART_PAUSE_MILLIS }
  }
  const { description, isFinal, reason, retryAfterMillis } = attempt
  const why = description === undefined ? { reason } : { reason, description }
  const delayMillis = isFinal ? undefined : retryDelay(settings, before + 1, random, retryAfterMillis)
  return delayMillis === undefined ? { _tag: "Failed", ...why } : { _tag: "Retry", ...why, delayMillis }
}
