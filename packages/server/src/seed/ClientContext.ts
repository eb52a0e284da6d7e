// The context data of one client of the demo: state by namespace with its history, actions, sessions with messages.
import { DAY_MILLIS, HOUR_MILLIS, MINUTE_MILLIS, momentOf } from "./Calendar.ts"
import type { ClientPerson } from "./Clients.ts"
import { type Company, fixedIds, type Staff, type Subject } from "./Company.ts"
import { dialoguePlans, framePhrases } from "./Dialogues.ts"
import { actionTexts, type ActionText } from "./dialogues/actions.ts"
import { makePhrase } from "./Phrase.ts"
import { mix, Random } from "./Random.ts"
import type {
  ClientActionRow,
  ClientStateHistoryRow,
  ClientStateRow,
  ContextSessionRow,
  JsonObject,
  Language,
  SessionMessageRow
} from "./SeedRows.ts"
import { slotValue } from "./Slots.ts"
import type { TalkWriter } from "./Talk.ts"

const SALT = 3003

/** An appeal of the client that actions and sessions may name. */
export interface NamedAppeal {
  readonly id: number
  readonly subjectId: number
  readonly createdAt: number
}

export interface ContextSpec {
  readonly client: ClientPerson
  readonly company: Company
  readonly subjects: ReadonlyArray<Subject>
  readonly operators: ReadonlyArray<Staff>
  readonly appeals: ReadonlyArray<NamedAppeal>
  readonly midnight: number
  readonly writer: TalkWriter
}

export interface ClientContextRows {
  readonly state: ReadonlyArray<ClientStateRow>
  readonly history: ReadonlyArray<ClientStateHistoryRow>
  readonly actions: ReadonlyArray<ClientActionRow>
  readonly sessions: ReadonlyArray<ContextSessionRow>
  readonly sessionMessages: ReadonlyArray<SessionMessageRow>
}

const summaries = new Map(
  actionTexts.map((text) => [
    text,
    { en: makePhrase(text.summary.en), uk: makePhrase(text.summary.uk), ru: makePhrase(text.summary.ru) }
  ])
)

const isoDay = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const stateOf = (namespace: string, client: ClientPerson, random: Random, at: number): JsonObject => {
  switch (namespace) {
    case "crm":
      return {
        tier: client.segment === "vip" ? "gold" : random.pick(["silver", "standard", "standard"]),
        segment: client.segment,
        contract: client.contract,
        churnRisk: Math.round(random.next() * 100) / 100,
        lastContactOn: isoDay(at)
      }
    case "billing":
      return {
        balance: random.int(-300, 900),
        currency: "UAH",
        tariff: client.tariff,
        autoPay: random.chance(0.4),
        nextPaymentOn: isoDay(at + random.int(2, 29) * DAY_MILLIS)
      }
    case "preferences":
      return {
        language: client.row.language,
        channel: client.row.identities[0]?.channel ?? "email",
        notifications: { sms: random.chance(0.5), email: random.chance(0.7), marketing: random.chance(0.4) },
        quietHours: random.pick(["22:00-08:00", "21:00-09:00"])
      }
    default:
      return {
        router: slotRouter(random),
        serial: `SN${random.digits(8)}`,
        rented: random.chance(0.3),
        firmware: `${random.int(1, 4)}.${random.int(0, 9)}.${random.int(0, 20)}`
      }
  }
}

const slotRouter = (random: Random): string =>
  random.pick(["Archer AX23", "Keenetic Hopper", "ASUS RT-AX55", "Tenda AC10"])

const states = (spec: ContextSpec, random: Random) => {
  const { client, company, midnight } = spec
  const all = client.row.id === fixedIds.client
  const chances: ReadonlyArray<readonly [string, number]> = [
    ["crm", 0.6],
    ["billing", 0.55],
    ["preferences", 0.4],
    ["equipment", 0.25]
  ]
  const state: Array<ClientStateRow> = []
  const history: Array<ClientStateHistoryRow> = []
  for (const [namespace, chance] of chances) {
    if (!all && !random.chance(chance)) continue
    const version = all ? random.int(3, 6) : random.int(1, 4)
    let at = midnight - random.int(1, 60) * DAY_MILLIS
    const versions: Array<ClientStateHistoryRow> = []
    for (let number = version; number >= 1; number--) {
      const updatedAt = momentOf(at - DAY_MILLIS, random)
      const value = stateOf(namespace, client, random, updatedAt)
      versions.unshift({
        instanceId: company.instance.id,
        clientId: client.row.id,
        namespace,
        version: number,
        state: value,
        updatedAt
      })
      at -= random.int(3, 40) * DAY_MILLIS
    }
    history.push(...versions)
    const last = versions.at(-1)
    if (last !== undefined) state.push({ ...last, id: random.uuid(versions[0]?.updatedAt ?? last.updatedAt) })
  }
  return { state, history }
}

type Slot = (name: string) => string

const slotsAt = (spec: ContextSpec, seed: number, at: number): Slot => {
  const { client, company } = spec
  const language: Language = client.row.language
  const name = client.addressIn(language)
  const email = client.row.email ?? ""
  return (slot) =>
    slotValue(slot, {
      seed,
      language,
      at,
      company: company.brand,
      name,
      email,
      contract: client.contract,
      operator: ""
    })
}

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
    case "survey.answered":
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

const actions = (spec: ContextSpec, random: Random): ReadonlyArray<ClientActionRow> => {
  const { client, company, midnight } = spec
  const all = client.row.id === fixedIds.client
  const count = all ? actionTexts.length * 3 : random.int(0, 7)
  const rows: Array<ClientActionRow> = []
  for (let i = 0; i < count; i++) {
    const text = all ? actionTexts[i % actionTexts.length] : random.pick(actionTexts)
    if (text === undefined) continue
    const oldest = Math.min(700, Math.max(1, Math.floor((midnight - client.row.createdAt) / DAY_MILLIS) - 1))
    const occurredAt = momentOf(midnight - (1 + Math.floor(random.next() ** 2 * oldest)) * DAY_MILLIS, random)
    const slot = slotsAt(spec, mix(mix(SALT, client.row.id), i), occurredAt)
    const subject = spec.subjects.find(({ alias }) => alias === text.subjectAlias)
    const appeal = spec.appeals.find((one) => one.subjectId === subject?.id && one.createdAt < occurredAt)
    const phrase = summaries.get(text)?.[client.row.language]
    rows.push({
      instanceId: company.instance.id,
      id: random.uuid(occurredAt),
      clientId: client.row.id,
      type: text.type,
      actorType: text.actorType,
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
      appealId: appeal !== undefined && random.chance(0.5) ? appeal.id : null,
      summary: phrase?.wording(0, slot, client.gender) ?? null,
      payload: payloadOf(text.type, slot, random, client.contract)
    })
  }
  return rows
}

const sessions = (spec: ContextSpec, random: Random) => {
  const { client, company, midnight, writer } = spec
  const all = client.row.id === fixedIds.client
  const count = all ? 4 : random.chance(0.3) ? random.int(1, 2) : 0
  const rows: Array<ContextSessionRow> = []
  const messages: Array<SessionMessageRow> = []
  const language = client.row.language
  const age = Math.min(500, Math.max(2, Math.floor((midnight - client.row.createdAt) / DAY_MILLIS) - 1))
  for (let i = 0; i < count; i++) {
    const daysAgo = all ? ([2, 19, 48, 130][i] ?? 60) : random.int(1, age)
    const createdAt = midnight - daysAgo * DAY_MILLIS + random.int(7 * HOUR_MILLIS, 19 * HOUR_MILLIS)
    const subject = all ? spec.subjects.find(({ id }) => id === fixedIds.subject) : random.pick(spec.subjects)
    const plan = random.pick(dialoguePlans(subject?.alias ?? "orders", language))
    const operator = random.pick(spec.operators)
    const talk = {
      seed: mix(mix(SALT, client.row.id), 900 + i),
      plan,
      client,
      company: company.brand,
      at: createdAt
    }
    const slot = slotsAt(spec, talk.seed, createdAt)
    const handedOver = random.chance(0.4) || i === 1
    const lines: Array<{ role: SessionMessageRow["role"]; content: string }> = [
      { role: "system", content: writer.say(framePhrases[language].assistantStart, talk, null, "m") }
    ]
    for (const [n, turn] of plan.turns.entries()) {
      if (n === 1) {
        const found = {
          tool: "contract_lookup",
          contract: client.contract,
          request: slot("request"),
          tariff: client.tariff
        }
        lines.push({ role: "tool", content: JSON.stringify(found) })
      }
      const last = n >= plan.turns.length - 2
      const byOperator = turn.voice !== "client" && last && handedOver
      const text = writer.say(
        turn.phrase,
        talk,
        null,
        turn.voice === "client" ? client.gender : byOperator ? operator.gender : "m"
      )
      lines.push(
        turn.voice === "client"
          ? { role: "client", content: writer.byClient(text, client) }
          : { role: byOperator ? "operator" : "assistant", content: text }
      )
    }
    const id = random.uuid(createdAt)
    let at = createdAt
    const made = lines.map(({ role, content }, n): SessionMessageRow => {
      at += n === 0 ? 500 : role === "tool" ? 1_200 : random.int(4_000, 90_000)
      return {
        instanceId: company.instance.id,
        id: random.uuid(at),
        sessionId: id,
        clientId: client.row.id,
        sequence: n + 1,
        role,
        content,
        occurredAt: at
      }
    })
    const open = all ? i === 0 : daysAgo < 14 && random.chance(0.5)
    const appeal = spec.appeals.find(
      (one) => one.createdAt > createdAt - 30 * DAY_MILLIS && one.createdAt < createdAt + DAY_MILLIS
    )
    rows.push({
      instanceId: company.instance.id,
      id,
      clientId: client.row.id,
      status: open ? "open" : "closed",
      externalSessionId: `assistant-${client.row.id}-${i + 1}`,
      channel: client.row.identities[0]?.channel ?? null,
      appealId: appeal !== undefined && (all || random.chance(0.4)) ? appeal.id : null,
      metadata: {
        agent: "assistant-2",
        locale: language,
        page: random.pick(["/help", "/account", "/tariffs", "/shop"])
      },
      messageCount: made.length,
      createdAt,
      closedAt: open ? null : at + random.int(1, 30) * MINUTE_MILLIS
    })
    messages.push(...made)
  }
  return { sessions: rows, sessionMessages: messages }
}

/** State, actions and sessions of a client; client 501 has every kind, the others some. */
export const clientContext = (spec: ContextSpec): ClientContextRows => {
  const random = new Random(SALT, spec.client.row.id)
  return { ...states(spec, random), actions: actions(spec, random), ...sessions(spec, random) }
}
