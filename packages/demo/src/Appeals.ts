// One appeal of the demo data with its messages: the talk set in time, cut where it stands now, its members derived.
import { DAY_MILLIS, HOUR_MILLIS, MINUTE_MILLIS, workingTimeOf } from "./Calendar.ts"
import type { ClientPerson } from "./Clients.ts"
import type { Company, Staff } from "./Company.ts"
import type { DialoguePlan } from "./DialoguePlan.ts"
import { mix, Random } from "./Random.ts"
import type { AppealMessageRow, AppealRow } from "./SeedRows.ts"
import type { TalkWriter } from "./Talk.ts"
import { cut, type Outcome, place, type Placed } from "./TalkTimes.ts"

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

const chatStatus = {
  closed: "closed",
  resolved: "closed",
  active: "active",
  postponed: "postponed",
  waiting: "waiting",
  silent: "waiting"
} as const
const chatGroup = { closed: "done", active: "open", postponed: "waiting", waiting: "new" } as const
const ticketStatus = {
  closed: "closed",
  resolved: "resolved",
  active: "open",
  postponed: "waiting",
  waiting: "new",
  silent: "new"
} as const
const ticketGroup = {
  closed: "done",
  resolved: "done",
  open: "open",
  waiting: "waiting",
  new: "new"
} as const

/** Times derived from the messages. A closed appeal waits for nobody. */
const answering = (lines: ReadonlyArray<Placed>) => {
  let waitingSince: number | null = null
  let firstResponseAt: number | null = null
  let clientWrote = false
  for (const line of lines) {
    if (line.voice === "client") {
      clientWrote = true
      waitingSince ??= line.at
    }
    if (line.voice === "operator") {
      waitingSince = null
      if (clientWrote) firstResponseAt ??= line.at
    }
  }
  return { waitingSince, firstResponseAt }
}

/** Makes the rows of one instance's appeals. Ticket numbers and message ids ascend in the order of the calls. */
export class AppealMaker {
  #ticketNumber = 0
  readonly #company: Company
  readonly #writer: TalkWriter
  readonly #horizon: number
  readonly #nextMessageId: () => number

  constructor(company: Company, writer: TalkWriter, horizon: number, nextMessageId: () => number) {
    this.#company = company
    this.#writer = writer
    this.#horizon = horizon
    this.#nextMessageId = nextMessageId
  }

  #talk(
    spec: AppealSpec,
    plan: DialoguePlan,
    at: number,
    seed: number,
    outgoing: boolean,
    random: Random
  ): Array<Placed> {
    const second =
      spec.messageCount !== null && random.chance(0.3)
        ? spec.operators.slice(1, 2)
        : spec.messageCount !== null
          ? []
          : spec.operators.slice(1)
    const lead = spec.messageCount === null ? spec.operators[0] : random.pick(spec.operators)
    const talk = {
      seed,
      plan,
      client: spec.client,
      company: this.#company.brand,
      at,
      operators: [lead, ...second.filter((operator) => operator.id !== lead.id)] as const,
      outgoing
    }
    return place(
      spec.kind === "chat" ? this.#writer.chat(talk, random) : this.#writer.ticket(talk, random),
      spec.kind,
      at,
      random
    )
  }

  /** The talks of a long-lived conversation, spread evenly until shortly before the horizon. */
  #long(spec: AppealSpec, count: number, random: Random): Array<Placed> {
    const lines: Array<Placed> = []
    const end = this.#horizon - 26 * HOUR_MILLIS
    for (let round = 0; lines.length < count; round++) {
      const plan =
        spec.plans[(round * 3 + Math.floor(round / spec.plans.length)) % spec.plans.length] ?? spec.plans[0]
      const share = lines.length / count
      const due = workingTimeOf(spec.createdAt + share * (end - spec.createdAt), random)
      const at = Math.max(due, (lines.at(-1)?.at ?? 0) + 5 * MINUTE_MILLIS)
      lines.push(...this.#talk(spec, plan, at, mix(mix(SALT, spec.id), round), false, random))
    }
    return lines.slice(0, count)
  }

  /** The appeal and its messages. */
  make(spec: AppealSpec): { readonly appeal: AppealRow; readonly messages: ReadonlyArray<AppealMessageRow> } {
    const random = new Random(SALT, spec.id)
    const { client, kind } = spec
    const outgoing =
      kind === "chat" && spec.messageCount === null && spec.outcome !== "silent" && random.chance(0.05)
    const whole =
      spec.messageCount === null
        ? this.#talk(spec, spec.plans[0], spec.createdAt, mix(SALT, spec.id), outgoing, random)
        : this.#long(spec, spec.messageCount, random)
    const spoken = spec.messageCount === null ? cut(whole, spec.outcome, random) : whole
    const lines = spoken.filter((line) => line.at < this.#horizon - MINUTE_MILLIS)
    const answered = lines.some((line) => line.voice === "operator")
    const done = (spec.outcome === "closed" || spec.outcome === "resolved") && lines.length === whole.length
    const unfinished: Outcome =
      spec.outcome === "closed" || spec.outcome === "resolved" ? "active" : spec.outcome
    const outcome: Outcome = done
      ? spec.outcome
      : answered || unfinished === "silent"
        ? unfinished
        : "waiting"
    const waiting = outcome === "waiting" || outcome === "silent"
    const lastAt = lines.at(-1)?.at ?? null
    const base = Math.max(lastAt ?? 0, spec.createdAt)
    const closedAt = done ? Math.min(base + random.int(1, 40) * MINUTE_MILLIS, this.#horizon - 1) : null
    const writers = lines.flatMap((line) => (line.operator === null ? [] : [line.operator.id]))
    const operatorId = waiting ? null : (writers.at(-1) ?? spec.operators[0].id)
    const { firstResponseAt, waitingSince } = answering(lines)
    const status = kind === "chat" ? chatStatus[outcome] : ticketStatus[outcome]
    const channel = this.#channel(spec, random)
    const ticket = kind === "ticket"
    const appeal: AppealRow = {
      instanceId: this.#company.instance.id,
      id: spec.id,
      kind,
      clientId: client.row.id,
      subjectId: spec.subjectId,
      operatorId,
      operatorIds: distinct([...writers, ...(operatorId === null ? [] : [operatorId])]),
      authorId: ticket ? spec.operators[0].id : null,
      number: ticket ? ++this.#ticketNumber : null,
      title: ticket ? this.#title(spec) : null,
      description: ticket ? (lines.find((line) => line.voice === "client")?.text ?? null) : null,
      status,
      statusGroup: kind === "chat" ? chatGroup[chatStatus[outcome]] : ticketGroup[ticketStatus[outcome]],
      priority: random.weighted(
        ["low", "normal", "high", "urgent"] as const,
        client.segment === "vip" ? [1, 5, 4, 2] : [10, 75, 12, 3]
      ),
      channel: channel.channel,
      chatId: ticket ? null : channel.chatId,
      isOutgoing: outgoing,
      tags: random.chance(0.18)
        ? [random.pick(["complaint", "repeat", "callback", "refund", "praise", "escalated"])]
        : [],
      customFields: ticket && spec.id % 3 === 0 ? { device: `VR-${spec.id}` } : {},
      comment: null,
      messageCount: lines.length + (spec.note === null ? 0 : 1),
      waitingSince: done ? null : outcome === "silent" && !ticket ? spec.createdAt : waitingSince,
      firstResponseAt,
      lastMessageAt: lastAt,
      createdAt: spec.createdAt,
      updatedAt: closedAt ?? base,
      closedAt,
      closedBy: closedAt === null || random.chance(0.12) ? null : operatorId,
      postponedUntil: status === "postponed" ? this.#postponedUntil(spec.id) : null
    }
    return { appeal, messages: [...this.#messages(spec, lines), ...this.#note(spec, lines)] }
  }

  #messages(spec: AppealSpec, lines: ReadonlyArray<Placed>): ReadonlyArray<AppealMessageRow> {
    const edited = spec.id % 37 === 0 ? lines.findIndex(({ voice }) => voice === "operator") : -1
    return lines.map((line, i) => ({
      instanceId: this.#company.instance.id,
      appealId: spec.id,
      sequence: i + 1,
      id: this.#nextMessageId(),
      authorType: line.voice,
      authorId: line.voice === "client" ? spec.client.row.id : (line.operator?.id ?? null),
      text: line.text,
      visibility: "public",
      occurredAt: line.at,
      version: i === edited ? 2 : 1,
      editedAt: i === edited ? line.at + MINUTE_MILLIS / 2 : null
    }))
  }

  #note(spec: AppealSpec, lines: ReadonlyArray<Placed>): ReadonlyArray<AppealMessageRow> {
    if (spec.note === null) return []
    return [
      {
        instanceId: this.#company.instance.id,
        appealId: spec.id,
        sequence: lines.length + 1,
        id: this.#nextMessageId(),
        authorType: "operator",
        authorId: spec.operators[0].id,
        text: spec.note,
        visibility: "internal",
        version: 1,
        editedAt: null,
        occurredAt: (lines.at(-1)?.at ?? spec.createdAt) + MINUTE_MILLIS
      }
    ]
  }

  /** Two of three wake at a time. */
  #postponedUntil(id: number): number | null {
    return id % 3 === 0 ? null : this.#horizon + (2 + (id % 12)) * DAY_MILLIS + 9 * HOUR_MILLIS
  }

  #title(spec: AppealSpec): string {
    const plan = spec.plans[0]
    const talk = {
      seed: mix(SALT, spec.id),
      plan,
      client: spec.client,
      company: this.#company.brand,
      at: spec.createdAt
    }
    return this.#writer.say(plan.title, talk, null, "m")
  }

  #channel(spec: AppealSpec, random: Random): { readonly channel: string; readonly chatId: string | null } {
    const identities = spec.client.row.identities
    const fitting = identities.filter(({ channel }) => spec.kind === "ticket" || channel !== "email")
    return random.pick(fitting.length > 0 ? fitting : identities)
  }
}
