// The actions of one client of the demo: actions of every kind of actor with their payloads.
import { businessTimeOf, DAY_MILLIS } from "./Calendar.ts"
import actionTexts from "./data/actions.json" with { type: "json" }
import type { DemoClient } from "./DemoInstance.ts"
import { makePhrase, type SlotValue } from "./Phrase.ts"
import { mix, type Random } from "./Random.ts"

const SALT = 3103

const amountOf = (text: string): number => Number(text.replace(/\D/gu, ""))

const payloadOf = (type: string, slot: SlotValue, random: Random, contract: string) => {
  switch (type) {
    case "order.created":
    case "cart.abandoned":
      return {
        ...(type === "order.created" ? { orderId: Number(slot("order")) } : {}),
        total: amountOf(slot("price")),
        currency: "UAH",
        items: [{ name: slot("product"), quantity: 1, price: amountOf(slot("price")) }]
      }
    case "page.viewed":
      return {
        path: `/tariffs/${random.int(1, 10)}`,
        referrer: random.pick(["search", "email", "direct"]),
        seconds: random.int(5, 240)
      }
    case "payment.failed":
      return {
        amount: amountOf(slot("amount")),
        currency: "UAH",
        card: slot("last4"),
        reason: random.pick(["insufficient_funds", "expired_card", "bank_timeout"])
      }
    case "payment.received":
      return { amount: amountOf(slot("amount")), currency: "UAH", card: slot("last4"), contract }
    case "service.suspended":
      return { contract, debt: amountOf(slot("amount")) }
    case "call.ended":
      return {
        direction: random.pick(["in", "out"]),
        durationSec: random.int(20, 900),
        result: random.pick(["answered", "voicemail", "callback"])
      }
    case "discount.granted":
      return { amount: amountOf(slot("fee")), months: random.int(1, 6) }
    case "reminder.sent":
      return { template: "payment_due", delivered: random.chance(0.95) }
    case "csat.answered":
      return { score: random.weighted([5, 4, 3, 2, 1], [10, 6, 2, 1, 1]), survey: "after_chat" }
    case "delivery.status_changed":
      return { parcel: slot("parcel"), status: "at_branch", branch: Number(slot("branch")) }
    default:
      return { number: slot("request"), amount: amountOf(slot("amount")), currency: "UAH" }
  }
}

const channels: Readonly<Record<string, string>> = { web: "web", shop: "web", telephony: "phone" }

/** The actions of a client. */
export const clientActions = (demo: DemoClient) => {
  const { appeals, client, company, hasEverything, midnight, random, subjects, writer } = demo
  const { createdAt, id, language } = client.row
  const count = hasEverything ? actionTexts.length * 3 : random.int(0, 7)
  const oldest = Math.min(700, Math.max(1, Math.floor((midnight - createdAt) / DAY_MILLIS) - 1))
  return Array.from({ length: count }, (_, i) => {
    const next = hasEverything ? actionTexts[i % actionTexts.length] : undefined
    const text = next ?? random.pick(actionTexts)
    const daysAgo = 1 + Math.floor(random.next() ** 2 * oldest)
    const occurredAt = businessTimeOf(midnight - daysAgo * DAY_MILLIS, random)
    const slot = writer.slots({ client, seed: mix(mix(SALT, id), i), at: occurredAt }, language)
    const subject = subjects.find(({ alias }) => alias === text.subjectAlias)
    const earlier = appeals.filter((one) => one.createdAt < occurredAt)
    const appeal = earlier.find(({ subjectId }) => subjectId === subject?.id)
    const rated = text.type === "csat.answered" ? earlier.at(-1) : undefined
    return {
      instanceId: company.instance.id,
      id: random.uuid(occurredAt),
      clientId: id,
      type: text.type,
      actorType: text.actorType,
      actorId:
        text.actorType === "client"
          ? id
          : text.actorType === "operator"
            ? random.pick(demo.operators).id
            : null,
      occurredAt,
      recordedAt: Math.min(occurredAt + random.int(200, 9_000), midnight - 1),
      externalEventId: random.chance(0.8) || hasEverything ? `${text.type}-${id}-${i + 1}` : null,
      source: text.source,
      channel: channels[text.source] ?? null,
      subjectId: subject?.id ?? null,
      appealId: appeal !== undefined && random.chance(0.5) ? appeal.id : (rated?.id ?? null),
      summary: makePhrase(text.summary[language]).wording(0, slot, client.gender),
      payload: payloadOf(text.type, slot, random, client.contract)
    }
  })
}
