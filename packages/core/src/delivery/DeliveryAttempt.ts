// One attempt to deliver, with any connector (contract §8).
import { Cause, Clock, Effect, Metric, Random } from "effect"
import { type Attempt, TelegramConnector, WebhookConnector } from "./Connector.ts"
import type { DueDelivery, Settlement } from "./DeliveryLines.ts"
import { type RetrySettings, retryDelay, throttledDelay } from "./RetryPolicy.ts"

/** Pause between parts of one text: Telegram accepts about one message a second in a chat. */
const PART_PAUSE_MILLIS = 1_000

/** The result of an attempt. */
export interface AttemptResult {
  readonly settlement: Settlement
  /** Whether the receiver answered without throttling; undefined: nothing was sent. */
  readonly isResponsive: boolean | undefined
  /** The provider throttles the chat or the connector until this time (epoch milliseconds); undefined: neither. */
  readonly throttledUntil: number | undefined
}

/** Never fails: a defect counts as an attempt without an answer. */
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
        (cause) => Effect.as(Effect.logError("an attempt to deliver failed with a defect", cause), broken)
      )
      yield* countAttempt(delivery, attempt)
      const now = yield* Clock.currentTimeMillis
      return {
        settlement: settlementOf(settings, delivery, attempt, now, yield* Random.next),
        isResponsive: attempt._tag !== "Refused" || (attempt.hasAnswered && attempt.throttled === undefined),
        throttledUntil:
          attempt._tag === "Refused" && attempt.throttled === "unknown"
            ? now + (attempt.retryAfterMillis ?? 0)
            : undefined
      } satisfies AttemptResult
    },
    (effect, delivery) => Effect.withSpan(effect, "DeliveryWorker.attempt", spanOf(delivery))
  )
})

const countAttempt = (delivery: DueDelivery, attempt: Attempt) => {
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

/** The settlement of a delivery after this attempt; `random` is in [0, 1). */
const settlementOf = (
  settings: RetrySettings,
  { attempts: before, createdAt }: Pick<DueDelivery, "attempts" | "createdAt">,
  attempt: Attempt,
  now: number,
  random: number
): Settlement => {
  if (attempt._tag !== "Refused") {
    const { _tag, ...part } = attempt
    return _tag === "Sent"
      ? { ...part, status: "sent", countsAsAttempt: true }
      : { ...part, status: "queued", countsAsAttempt: false, delayMillis: PART_PAUSE_MILLIS }
  }
  const { description, isFinal, reason, retryAfterMillis, throttled, unsubscribed } = attempt
  const why = description === undefined ? { reason } : { reason, description }
  const throttledMillis =
    isFinal || throttled === undefined
      ? undefined
      : throttledDelay(settings, now - createdAt, random, retryAfterMillis)
  if (throttledMillis !== undefined)
    return { ...why, status: "queued", countsAsAttempt: false, delayMillis: throttledMillis }
  const delayMillis = isFinal ? undefined : retryDelay(settings, before + 1, random, retryAfterMillis)
  return delayMillis === undefined
    ? { ...why, status: "failed", countsAsAttempt: true, ...(unsubscribed && { unsubscribed }) }
    : { ...why, status: "queued", countsAsAttempt: true, delayMillis }
}
