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
  const { client, company, midnight, writer } = spec
  const all = hasEverything(spec)
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
