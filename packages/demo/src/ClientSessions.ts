// The context sessions of one client of the demo: talks with an assistant, some handed over to an operator.
import { DAY_MILLIS, HOUR_MILLIS, MINUTE_MILLIS } from "./Calendar.ts"
import { fixedIds } from "./Company.ts"
import type { DemoClient } from "./DemoInstance.ts"
import { dialoguePlans, framePhrase } from "./Dialogues.ts"
import { mix } from "./Random.ts"

const SALT = 3203

/** The sessions of a client and their messages. */
export const clientSessions = (demo: DemoClient) => {
  const { hasEverything, random } = demo
  const count = hasEverything ? 4 : random.chance(0.3) ? random.int(1, 2) : 0
  const made = Array.from({ length: count }, (_, i) => clientSession(demo, i))
  return {
    sessions: made.map(({ session }) => session),
    sessionMessages: made.flatMap(({ messages }) => messages)
  }
}

/** The session at place `i`. */
const clientSession = (demo: DemoClient, i: number) => {
  const { client, company, hasEverything, midnight, random } = demo
  const { identities, language } = client.row
  const age = Math.min(500, Math.max(2, Math.floor((midnight - client.row.createdAt) / DAY_MILLIS) - 1))
  const daysAgo = hasEverything ? ([2, 19, 48, 130][i] ?? 60) : random.int(1, age)
  const createdAt = midnight - daysAgo * DAY_MILLIS + random.int(7 * HOUR_MILLIS, 19 * HOUR_MILLIS)
  const lines = linesOf(demo, i, createdAt)
  const id = random.uuid(createdAt)
  let at = createdAt
  const messages = lines.map((line, n) => {
    at += n === 0 ? 500 : line.role === "tool" ? 1_200 : random.int(4_000, 90_000)
    const of = { instanceId: company.instance.id, sessionId: id, clientId: client.row.id }
    return { ...of, id: random.uuid(at), sequence: n + 1, ...line, occurredAt: at }
  })
  const isOpen = hasEverything ? i === 0 : daysAgo < 14 && random.chance(0.5)
  const appeal = demo.appeals.find(
    (one) => one.createdAt > createdAt - 30 * DAY_MILLIS && one.createdAt < createdAt + DAY_MILLIS
  )
  const session = {
    instanceId: company.instance.id,
    id,
    clientId: client.row.id,
    status: isOpen ? "open" : "closed",
    externalSessionId: `assistant-${client.row.id}-${i + 1}`,
    channel: identities[0]?.channel ?? null,
    appealId: appeal !== undefined && (hasEverything || random.chance(0.4)) ? appeal.id : null,
    metadata: {
      agent: "assistant-2",
      locale: language,
      page: random.pick(["/help", "/account", "/tariffs", "/shop"])
    },
    messageCount: messages.length,
    createdAt,
    closedAt: isOpen ? null : at + random.int(1, 30) * MINUTE_MILLIS
  }
  return { session, messages }
}

/** Greeting, result of a tool, and the turns of a plan, the last by an operator if the session was handed over. */
const linesOf = (
  { client, hasEverything, operators, random, subjects, writer }: DemoClient,
  i: number,
  at: number
) => {
  const { id, language } = client.row
  const own = hasEverything ? subjects.find((one) => one.id === fixedIds.subject) : undefined
  const plan = random.pick(dialoguePlans((own ?? random.pick(subjects)).alias, language))
  const operator = random.pick(operators)
  const talk = { seed: mix(mix(SALT, id), 900 + i), plan, client, at }
  const handedOver = random.chance(0.4) || i === 1
  const greeting = writer.say(framePhrase(language, "assistantStart"), talk, null, "m")
  const found = {
    tool: "contract_lookup",
    contract: client.contract,
    request: writer.slots(talk, language)("request"),
    tariff: client.tariff
  }
  const turns = plan.turns.map(({ phrase, voice }, n) => {
    const byClient = voice === "client"
    const byOperator = !byClient && n >= plan.turns.length - 2 && handedOver
    const gender = byClient ? client.gender : byOperator ? operator.gender : "m"
    const text = writer.say(phrase, talk, null, gender)
    return byClient
      ? { role: "client", content: writer.byClient(text, client) }
      : { role: byOperator ? "operator" : "assistant", content: text }
  })
  return [
    { role: "system", content: greeting },
    ...turns.slice(0, 1),
    { role: "tool", content: JSON.stringify(found) },
    ...turns.slice(1)
  ]
}
