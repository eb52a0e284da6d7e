// The actions of one client of the demo: actions of every kind of actor with their payloads.
import { DAY_MILLIS, businessTimeOf } from "./Calendar.ts"
import { type ContextSpec, hasEverything, type Slot, slotsAt } from "./ContextSpec.ts"
import actionTexts from "./data/actions.json" with { type: "json" }
import { makePhrase } from "./Phrase.ts"
import { mix, type Random } from "./Random.ts"
import { actorTypes, type ClientActionRow, type JsonObject, oneOf } from "./SeedRows.ts"

const SALT = 3103

type ActionText = (typeof actionTexts)[number]

const summaries = new Map(
  actionTexts.map((text) => [
    text,
    { en: makePhrase(text.summary.en), uk: makePhrase(text.summary.uk), ru: makePhrase(text.summary.ru) }
  ])
)

const amountOf = (text: string): number => Number(text.replace(/\D/gu, ""))

const payloadOf = (type: string, slot: Slot, random: Random, contract: string): JsonObject => {
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

const actionActor = (text: ActionText, spec: ContextSpec, random: Random): number | null =>
  text.actorType === "client"
    ? spec.client.row.id
    : text.actorType === "operator"
      ? random.pick(spec.operators).id
      : null

/** The actions of a client. */
export const clientActions = (spec: ContextSpec, random: Random): ReadonlyArray<ClientActionRow> => {
  const { client, company, midnight } = spec
  const all = hasEverything(spec)
  const count = all ? actionTexts.length * 3 : random.int(0, 7)
  const rows: Array<ClientActionRow> = []
  for (let i = 0; i < count; i++) {
    const text = all ? actionTexts[i % actionTexts.length] : random.pick(actionTexts)
    if (text === undefined) continue
    const oldest = Math.min(700, Math.max(1, Math.floor((midnight - client.row.createdAt) / DAY_MILLIS) - 1))
    const occurredAt = businessTimeOf(
      midnight - (1 + Math.floor(random.next() ** 2 * oldest)) * DAY_MILLIS,
      random
    )
    const slot = slotsAt(spec, mix(mix(SALT, client.row.id), i), occurredAt)
    const subject = spec.subjects.find(({ alias }) => alias === text.subjectAlias)
    const appeal = spec.appeals.find((one) => one.subjectId === subject?.id && one.createdAt < occurredAt)
    const rated =
      text.type === "csat.answered"
        ? spec.appeals.findLast(({ createdAt }) => createdAt < occurredAt)
        : undefined
    const phrase = summaries.get(text)?.[client.row.language]
    rows.push({
      instanceId: company.instance.id,
      id: random.uuid(occurredAt),
      clientId: client.row.id,
      type: text.type,
      actorType: oneOf(actorTypes, text.actorType),
      actorId: actionActor(text, spec, random),
      occurredAt,
      recordedAt: Math.min(occurredAt + random.int(200, 9_000), midnight - 1),
      externalEventId: random.chance(0.8) || all ? `${text.type}-${client.row.id}-${i + 1}` : null,
      source: text.source,
      channel:
        text.source === "web" || text.source === "shop"
          ? "web"
          : text.source === "telephony"
            ? "phone"
            : null,
      subjectId: subject?.id ?? null,
      appealId: appeal !== undefined && random.chance(0.5) ? appeal.id : (rated?.id ?? null),
      summary: phrase?.wording(0, slot, client.gender) ?? null,
      payload: payloadOf(text.type, slot, random, client.contract)
    })
  }
  return rows
}
