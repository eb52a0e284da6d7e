// One appeal of the demo data with its messages: the talk set in time, cut where it stands now, its members derived.
import { DAY_MILLIS, HOUR_MILLIS, MINUTE_MILLIS, workingTimeOf } from "./Calendar.ts"
import type { ClientPerson } from "./Clients.ts"
import type { Staff } from "./Company.ts"
import type { DemoInstance } from "./DemoInstance.ts"
import type { DialoguePlan } from "./DialoguePlan.ts"
import { mix, Random } from "./Random.ts"
import { cutLines, type Outcome, place, type PlacedLine } from "./TalkTimes.ts"

/** The plan of an appeal; an open outcome cuts the talk short. */
export interface AppealSpec {
  readonly id: number
  readonly kind: "chat" | "ticket"
  readonly client: ClientPerson
  readonly subjectId: number
  /** More than one: the talks follow one another in the same appeal. */
  readonly plans: readonly [DialoguePlan, ...ReadonlyArray<DialoguePlan>]
  readonly createdAt: number
  readonly operators: readonly [Staff, ...ReadonlyArray<Staff>]
  readonly outcome: Outcome
  /** Exactly that many messages, the talks repeated over the time until the horizon; null: one talk. */
  readonly messageCount: number | null
  /** A note of the operator for colleagues, after the talk. */
  readonly note: string | null
}

const SALT = 2002

const distinct = (ids: ReadonlyArray<number>) => [...new Set(ids)].toSorted((a, b) => a - b)

/** Status and status group by outcome. */
const statuses = {
  chat: {
    closed: ["closed", "done"],
    resolved: ["closed", "done"],
    active: ["active", "open"],
    postponed: ["postponed", "waiting"],
    waiting: ["waiting", "new"],
    silent: ["waiting", "new"]
  },
  ticket: {
    closed: ["closed", "done"],
    resolved: ["resolved", "done"],
    active: ["open", "open"],
    postponed: ["waiting", "waiting"],
    waiting: ["new", "new"],
    silent: ["new", "new"]
  }
} as const

const isBy = (voice: PlacedLine["voice"]) => (line: PlacedLine) => line.voice === voice

/** Times derived from the messages. A closed appeal waits for nobody. */
const answeringTimes = (lines: ReadonlyArray<PlacedLine>) => {
  const unanswered = lines.slice(lines.findLastIndex(isBy("operator")) + 1)
  const firstQuestion = lines.findIndex(isBy("client"))
  const answers = firstQuestion < 0 ? [] : lines.slice(firstQuestion)
  return {
    waitingSince: unanswered.find(isBy("client"))?.at ?? null,
    firstResponseAt: answers.find(isBy("operator"))?.at ?? null
  }
}

interface TalkPlace {
  readonly plan: DialoguePlan
  readonly at: number
  readonly seed: number
  readonly outgoing: boolean
}

const talkAt = (
  demo: DemoInstance,
  spec: AppealSpec,
  where: TalkPlace,
  random: Random
): Array<PlacedLine> => {
  const { client, kind, messageCount, operators } = spec
  const isLong = messageCount !== null
  const others = !isLong ? operators.slice(1) : random.chance(0.3) ? operators.slice(1, 2) : []
  const lead = isLong ? random.pick(operators) : operators[0]
  const talk = { ...where, client, operators: [lead, ...others.filter(({ id }) => id !== lead.id)] as const }
  return place(demo.writer[kind](talk, random), kind, where.at, random)
}

/** The talks of a long-lived conversation, spread evenly until shortly before the horizon. */
const longTalk = (demo: DemoInstance, spec: AppealSpec, count: number, random: Random): Array<PlacedLine> => {
  const { createdAt, id, plans } = spec
  const lines: Array<PlacedLine> = []
  const end = demo.midnight - 26 * HOUR_MILLIS
  for (let round = 0; lines.length < count; round++) {
    const plan = plans[(round * 3 + Math.floor(round / plans.length)) % plans.length] ?? plans[0]
    const due = workingTimeOf(createdAt + (lines.length / count) * (end - createdAt), random)
    const at = Math.max(due, (lines.at(-1)?.at ?? 0) + 5 * MINUTE_MILLIS)
    const seed = mix(mix(SALT, id), round)
    lines.push(...talkAt(demo, spec, { plan, at, seed, outgoing: false }, random))
  }
  return lines.slice(0, count)
}

const outcomeNow = ({ outcome }: AppealSpec, isCut: boolean, isAnswered: boolean): Outcome => {
  const ends = outcome === "closed" || outcome === "resolved"
  if ((ends && !isCut) || outcome === "silent") return outcome
  return !isAnswered ? "waiting" : ends ? "active" : outcome
}

const messagesOf = (
  { company, nextMessageId }: DemoInstance,
  spec: AppealSpec,
  talk: ReadonlyArray<PlacedLine>
) => {
  const edited = spec.id % 37 === 0 ? talk.findIndex(({ voice }) => voice === "operator") : -1
  const noteAt = (talk.at(-1)?.at ?? spec.createdAt) + MINUTE_MILLIS
  const note: Pick<PlacedLine, "voice" | "operator" | "text" | "at"> | undefined =
    spec.note === null
      ? undefined
      : { voice: "operator", operator: spec.operators[0], text: spec.note, at: noteAt }
  return [...talk, ...(note === undefined ? [] : [note])].map((line, i) => ({
    instanceId: company.instance.id,
    appealId: spec.id,
    sequence: i + 1,
    id: nextMessageId(),
    authorType: line.voice,
    authorId: line.voice === "client" ? spec.client.row.id : (line.operator?.id ?? null),
    text: line.text,
    visibility: line === note ? "internal" : "public",
    occurredAt: line.at,
    version: i === edited ? 2 : 1,
    editedAt: i === edited ? line.at + MINUTE_MILLIS / 2 : null
  }))
}

/** The appeal and its messages. Ticket numbers and message ids ascend in the order of the calls. */
export const makeAppeal = (demo: DemoInstance, spec: AppealSpec) => {
  const random = new Random(SALT, spec.id)
  const { client, createdAt, id, kind, messageCount, operators, plans, subjectId } = spec
  const isTicket = kind === "ticket"
  const isLong = messageCount !== null
  const outgoing = !isTicket && !isLong && spec.outcome !== "silent" && random.chance(0.05)
  const seed = mix(SALT, id)
  const topic = { plan: plans[0], at: createdAt, seed, outgoing }
  const whole = isLong ? longTalk(demo, spec, messageCount, random) : talkAt(demo, spec, topic, random)
  const spoken = isLong ? whole : cutLines(whole, spec.outcome, random)
  const lines = spoken.filter((line) => line.at < demo.midnight - MINUTE_MILLIS)
  const isAnswered = lines.some((line) => line.voice === "operator")
  const outcome = outcomeNow(spec, lines.length < whole.length, isAnswered)
  const [status, statusGroup] = statuses[kind][outcome]
  const done = statusGroup === "done"
  const lastMessageAt = lines.at(-1)?.at ?? null
  const base = lastMessageAt ?? createdAt
  const closedAt = done ? Math.min(base + random.int(1, 40) * MINUTE_MILLIS, demo.midnight - 1) : null
  const writers = lines.flatMap((line) => (line.operator === null ? [] : [line.operator.id]))
  const operatorId = statusGroup === "new" ? null : (writers.at(-1) ?? operators[0].id)
  const { firstResponseAt, waitingSince } = answeringTimes(lines)
  const { identities } = client.row
  const reachable = identities.filter(({ channel }) => isTicket || channel !== "email")
  const { channel, chatId } = random.pick(reachable.length > 0 ? reachable : identities)
  const appeal = {
    instanceId: demo.company.instance.id,
    id,
    kind,
    clientId: client.row.id,
    subjectId,
    operatorId,
    operatorIds: distinct([...writers, ...(operatorId === null ? [] : [operatorId])]),
    authorId: isTicket ? operators[0].id : null,
    number: isTicket ? demo.nextTicketNumber() : null,
    title: isTicket ? demo.writer.say(plans[0].title, { ...topic, client }, null, "m") : null,
    description: isTicket ? (lines.find((line) => line.voice === "client")?.text ?? null) : null,
    status,
    statusGroup,
    priority: random.weighted(
      ["low", "normal", "high", "urgent"],
      client.segment === "vip" ? [1, 5, 4, 2] : [10, 75, 12, 3]
    ),
    channel,
    chatId: isTicket ? null : chatId,
    isOutgoing: outgoing,
    tags: random.chance(0.18)
      ? [random.pick(["complaint", "repeat", "callback", "refund", "praise", "escalated"])]
      : [],
    customFields: isTicket && id % 3 === 0 ? { device: `VR-${id}` } : {},
    comment: null,
    messageCount: lines.length + (spec.note === null ? 0 : 1),
    waitingSince: done ? null : outcome === "silent" && !isTicket ? createdAt : waitingSince,
    firstResponseAt,
    lastMessageAt,
    createdAt,
    updatedAt: closedAt ?? base,
    closedAt,
    closedBy: closedAt === null || random.chance(0.12) ? null : operatorId,
    // Two of three postponed chats wake at a time.
    postponedUntil:
      status === "postponed" && id % 3 !== 0
        ? demo.midnight + (2 + (id % 12)) * DAY_MILLIS + 9 * HOUR_MILLIS
        : null
  }
  return { appeal, messages: messagesOf(demo, spec, lines) }
}
export type AppealRow = ReturnType<typeof makeAppeal>["appeal"]
