// The context sessions of one client of the demo: talks with an assistant, some handed over to an operator.
import { DAY_MILLIS, HOUR_MILLIS, MINUTE_MILLIS } from "./Calendar.ts"
import { fixedIds } from "./Company.ts"
import { type ContextSpec, hasEverything, slotsAt } from "./ContextSpec.ts"
import { dialoguePlans, framePhrases } from "./Dialogues.ts"
import { mix, type Random } from "./Random.ts"
import type { ContextSessionRow, SessionMessageRow } from "./SeedRows.ts"

const SALT = 3203

/** The sessions of a client and their messages. */
export const clientSessions = (
  spec: ContextSpec,
  random: Random
): {
  readonly sessions: ReadonlyArray<ContextSessionRow>
  readonly sessionMessages: ReadonlyArray<SessionMessageRow>
} => {
  const all = hasEverything(spec)
  const count = all ? 4 : random.chance(0.3) ? random.int(1, 2) : 0
  const made = Array.from({ length: count }, (_, i) => clientSession(spec, random, i))
  return {
    sessions: made.map(({ session }) => session),
    sessionMessages: made.flatMap(({ messages }) => messages)
  }
}

/** The session at place `i`. */
const clientSession = (spec: ContextSpec, random: Random, i: number) => {
  const { client, company, midnight } = spec
  const all = hasEverything(spec)
  const age = Math.min(500, Math.max(2, Math.floor((midnight - client.row.createdAt) / DAY_MILLIS) - 1))
  const daysAgo = all ? ([2, 19, 48, 130][i] ?? 60) : random.int(1, age)
  const createdAt = midnight - daysAgo * DAY_MILLIS + random.int(7 * HOUR_MILLIS, 19 * HOUR_MILLIS)
  const lines = linesOf(spec, random, i, createdAt)
  const id = random.uuid(createdAt)
  const { messages, endedAt } = messagesOf(spec, random, lines, { id, createdAt })
  const open = all ? i === 0 : daysAgo < 14 && random.chance(0.5)
  const appeal = spec.appeals.find(
    (one) => one.createdAt > createdAt - 30 * DAY_MILLIS && one.createdAt < createdAt + DAY_MILLIS
  )
  const session: ContextSessionRow = {
    instanceId: company.instance.id,
    id,
    clientId: client.row.id,
    status: open ? "open" : "closed",
    externalSessionId: `assistant-${client.row.id}-${i + 1}`,
    channel: client.row.identities[0]?.channel ?? null,
    appealId: appeal !== undefined && (all || random.chance(0.4)) ? appeal.id : null,
    metadata: {
      agent: "assistant-2",
      locale: client.row.language,
      page: random.pick(["/help", "/account", "/tariffs", "/shop"])
    },
    messageCount: messages.length,
    createdAt,
    closedAt: open ? null : endedAt + random.int(1, 30) * MINUTE_MILLIS
  }
  return { session, messages }
}

type Line = Pick<SessionMessageRow, "role" | "content">

/** The messages of a session: greeting, result of a tool, and the turns of a plan, the last by an operator if it was handed over. */
const linesOf = (spec: ContextSpec, random: Random, i: number, at: number): ReadonlyArray<Line> => {
  const { client, company, writer } = spec
  const language = client.row.language
  const subject = hasEverything(spec)
    ? spec.subjects.find(({ id }) => id === fixedIds.subject)
    : random.pick(spec.subjects)
  const plan = random.pick(dialoguePlans(subject?.alias ?? "orders", language))
  const operator = random.pick(spec.operators)
  const seed = mix(mix(SALT, client.row.id), 900 + i)
  const talk = { seed, plan, client, company: company.brand, at }
  const slot = slotsAt(spec, seed, at)
  const handedOver = random.chance(0.4) || i === 1
  const lines: Array<Line> = [
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
    const byClient = turn.voice === "client"
    const byOperator = !byClient && n >= plan.turns.length - 2 && handedOver
    const gender = byClient ? client.gender : byOperator ? operator.gender : "m"
    const text = writer.say(turn.phrase, talk, null, gender)
    lines.push(
      byClient
        ? { role: "client", content: writer.byClient(text, client) }
        : { role: byOperator ? "operator" : "assistant", content: text }
    )
  }
  return lines
}

/** The lines as messages, some seconds from one to the next. */
const messagesOf = (
  { client, company }: ContextSpec,
  random: Random,
  lines: ReadonlyArray<Line>,
  { createdAt, id }: Pick<ContextSessionRow, "createdAt" | "id">
) => {
  let at = createdAt
  const messages = lines.map(({ role, content }, n): SessionMessageRow => {
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
  return { messages, endedAt: at }
}
