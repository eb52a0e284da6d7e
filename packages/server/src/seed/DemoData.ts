// The demo data as a pure generator: the same size and midnight give the same rows, in batches, parents before children.
import { AppealMaker, type AppealSpec, type Outcome } from "./Appeals.ts"
import { DAY_MILLIS, DAYS, dayStart, HOUR_MILLIS, momentOf, perDay } from "./Calendar.ts"
import { clientContext, type NamedAppeal } from "./ClientContext.ts"
import { type ClientPerson, clientPerson } from "./Clients.ts"
import {
  companies,
  type Company,
  fixedIds,
  propertyDefinitions,
  skillGroups,
  type Staff,
  staff,
  type Subject,
  subjectList,
  subjects,
  users
} from "./Company.ts"
import type { DialoguePlan } from "./DialoguePlan.ts"
import { dialoguePlans } from "./Dialogues.ts"
import { type FixedAppeal, fixedAppeals } from "./FixedAppeals.ts"
import {
  clientProperties,
  operatorProperties,
  skillGroupProperties,
  subjectProperties
} from "./Properties.ts"
import { Random } from "./Random.ts"
import type { AppealMessageRow, AppealRow, Language, SeedBatch, SeedTable, SeedTables } from "./SeedRows.ts"
import { TalkWriter } from "./Talk.ts"

/** Rows of one batch at most. */
export const BATCH_ROWS_MAX = 2_000

const SALT = 5005

export type DemoSize = "demo" | "small" | "empty"

export interface DemoOptions {
  readonly size: DemoSize
  /** Midnight UTC of the day of seeding, epoch milliseconds: everything lies in the two years before it. */
  readonly midnight: number
}

/** How much of everything there is, per size and instance. */
interface Extent {
  readonly clientIds: ReadonlyArray<number>
  readonly appeals: number
  readonly firstAppealId: number
  /** The exponent by which appeals crowd towards the present; a small demo needs open ones too. */
  readonly growth: number
  /** [days back, share of open appeals among those that young], youngest first. */
  readonly open: ReadonlyArray<readonly [number, number]>
}

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)

const foreign = fixedIds.foreignClient
const opening = {
  demo: [
    [1, 0.75],
    [2, 0.5],
    [4, 0.3],
    [10, 0.15],
    [30, 0.04]
  ],
  small: [
    [3, 0.7],
    [8, 0.5],
    [20, 0.25],
    [60, 0.08]
  ]
} as const

const extents: Readonly<Record<"demo" | "small", Readonly<Record<number, Extent>>>> = {
  demo: {
    1: {
      clientIds: range(1, 2001).filter((id) => id !== foreign),
      appeals: 20_000 - fixedAppeals.length,
      firstAppealId: 1,
      growth: 0.35,
      open: opening.demo
    },
    2: {
      clientIds: [foreign, ...range(2002, 2037)],
      appeals: 90,
      firstAppealId: 20_001,
      growth: 0.6,
      open: opening.small
    }
  },
  small: {
    1: {
      clientIds: [...range(1, 20), fixedIds.client, fixedIds.longChatsClient],
      appeals: 200,
      firstAppealId: 1,
      growth: 6,
      open: opening.small
    },
    2: {
      clientIds: [foreign, ...range(2002, 2009)],
      appeals: 24,
      firstAppealId: 20_001,
      growth: 2,
      open: opening.small
    }
  }
}

function* inBatches<T extends SeedTable>(
  table: T,
  rows: ReadonlyArray<SeedTables[T]>
): Generator<{ readonly table: T; readonly rows: ReadonlyArray<SeedTables[T]> }> {
  for (let from = 0; from < rows.length; from += BATCH_ROWS_MAX)
    yield { table, rows: rows.slice(from, from + BATCH_ROWS_MAX) }
}

/** One instance while it is generated. */
interface Room {
  readonly company: Company
  readonly extent: Extent
  readonly midnight: number
  readonly clients: ReadonlyMap<number, ClientPerson>
  readonly subjects: ReadonlyArray<Subject>
  readonly staff: ReadonlyArray<Staff>
  readonly writer: TalkWriter
  readonly random: Random
  /** How often each (subject, language) was told, so that its plans take turns. */
  readonly told: Map<string, number>
}

const plansInTurn = (room: Room, alias: string, language: Language): DialoguePlan => {
  const key = `${alias} ${language}`
  const count = room.told.get(key) ?? 0
  room.told.set(key, count + 1)
  const plans = dialoguePlans(alias, language)
  const plan = plans[(count * 7) % plans.length]
  if (plan === undefined) throw new RangeError(`no dialogue plans for ${key}`)
  return plan
}

const operatorsOf = (room: Room, subjectId: number, atDaysAgo: number): ReadonlyArray<Staff> => {
  const groups = skillGroups(room.company.instance.id).filter((group) => group.subjectIds.includes(subjectId))
  return room.staff.filter(
    (user) =>
      user.role === "operator" &&
      user.groupIds.some((id) => groups.some((group) => group.id === id)) &&
      (!user.left || atDaysAgo > 250)
  )
}

const outcomeOf = (
  open: Extent["open"],
  daysAgo: number,
  kind: "chat" | "ticket",
  random: Random
): Outcome => {
  const share = open.find(([days]) => daysAgo < days)?.[1] ?? 0
  if (!random.chance(share)) return kind === "ticket" && random.chance(0.12) ? "resolved" : "closed"
  return random.weighted(["active", "postponed", "waiting", "silent"] as const, [
    45,
    18,
    35,
    kind === "chat" ? 2 : 0
  ])
}

const clientAt = (room: Room, at: number): ClientPerson => {
  const ids = room.extent.clientIds
  const own: ReadonlyArray<number> = [fixedIds.client, fixedIds.longChatsClient]
  for (;;) {
    const client = room.clients.get(ids[Math.floor(room.random.next() ** 1.4 * ids.length)] ?? -1)
    if (client !== undefined && client.row.createdAt < at && !own.includes(client.row.id)) return client
  }
}

// Billing, outages and speed are what people write about most.
const subjectWeights: Readonly<Record<string, number>> = {
  billing: 1.35,
  outage: 1.2,
  speed: 1.1,
  television: 0.8,
  account: 0.85
}

const ordinary = (room: Room, id: number, createdAt: number): AppealSpec => {
  const { random } = room
  const client = clientAt(room, createdAt)
  const subject = random.weighted(
    room.subjects,
    room.subjects.map(({ alias }) => subjectWeights[alias] ?? 1)
  )
  const kind = random.chance(0.7) ? "chat" : "ticket"
  const daysAgo = (room.midnight - createdAt) / DAY_MILLIS
  const operators = operatorsOf(room, subject.id, daysAgo)
  const first = random.pick(operators)
  const others = operators.filter((user) => user.id !== first.id)
  return {
    id,
    kind,
    client,
    subjectId: subject.id,
    plans: [plansInTurn(room, subject.alias, client.row.language)],
    createdAt,
    operators: others.length > 0 && random.chance(0.1) ? [first, random.pick(others)] : [first],
    outcome: outcomeOf(room.extent.open, daysAgo, kind, random),
    messageCount: null
  }
}

const fixedSpec = (room: Room, fixed: FixedAppeal, createdAt: number): ReadonlyArray<AppealSpec> => {
  const client = room.clients.get(fixed.clientId)
  const subject = room.subjects.find(({ id }) => id === fixed.subjectId)
  const plans = fixed.languages.flatMap((language) => dialoguePlans(subject?.alias ?? "", language))
  const [plan, ...rest] = fixed.messageCount === null ? plans.slice(fixed.plan, fixed.plan + 1) : plans
  const [first, ...others] = fixed.operatorIds.flatMap(
    (id) => room.staff.find((user) => user.id === id) ?? []
  )
  if (client === undefined || plan === undefined || first === undefined)
    throw new RangeError(`fixed appeal ${fixed.id}`)
  const { id, kind, subjectId, outcome, messageCount } = fixed
  return [
    {
      id,
      kind,
      client,
      subjectId,
      plans: [plan, ...rest],
      createdAt,
      operators: [first, ...others],
      outcome,
      messageCount
    }
  ]
}

/** What begins on each day, oldest first; ordinary ids rise with time and leave the fixed ones out. */
function* specs(room: Room): Generator<AppealSpec> {
  const { company, extent, midnight, random } = room
  const fixed = company.instance.id === fixedIds.instance ? fixedAppeals : []
  const taken = new Set(fixedAppeals.map(({ id }) => id))
  let id = extent.firstAppealId
  for (const [day, count] of perDay(
    extent.appeals,
    midnight,
    extent.growth,
    SALT + company.instance.id
  ).entries()) {
    const start = dayStart(midnight, day)
    const today = fixed.filter(({ daysAgo }) => DAYS - daysAgo === day)
    const begun = [
      ...Array.from({ length: count }, () => ({ at: momentOf(start, random), fixed: null })),
      ...today.map((one) => ({ at: start + random.int(8 * HOUR_MILLIS, 14 * HOUR_MILLIS), fixed: one }))
    ].toSorted((a, b) => a.at - b.at)
    for (const one of begun) {
      if (one.fixed !== null) yield* fixedSpec(room, one.fixed, one.at)
      else {
        while (taken.has(id)) id++
        yield ordinary(room, id++, one.at)
      }
    }
  }
}

const NAMED_APPEALS_MAX = 6

function* appealBatches(
  room: Room,
  nextMessageId: () => number,
  named: Map<number, Array<NamedAppeal>>
): Generator<SeedBatch> {
  const maker = new AppealMaker(room.company, room.writer, room.midnight, nextMessageId)
  let appeals: Array<AppealRow> = []
  let messages: Array<AppealMessageRow> = []
  for (const spec of specs(room)) {
    const made = maker.make(spec)
    appeals.push(made.appeal)
    for (const message of made.messages) messages.push(message)
    const own = named.get(spec.client.row.id) ?? []
    if (own.length < NAMED_APPEALS_MAX || spec.client.row.id === fixedIds.client)
      named.set(spec.client.row.id, [
        ...own,
        { id: spec.id, subjectId: spec.subjectId, createdAt: spec.createdAt }
      ])
    if (messages.length < BATCH_ROWS_MAX) continue
    yield* inBatches("appeals", appeals)
    yield* inBatches("appealMessages", messages)
    appeals = []
    messages = []
  }
  yield* inBatches("appeals", appeals)
  yield* inBatches("appealMessages", messages)
}

function* instanceBatches(
  company: Company,
  extent: Extent,
  midnight: number,
  nextMessageId: () => number
): Generator<SeedBatch> {
  const instanceId = company.instance.id
  const clients = new Map(extent.clientIds.map((id) => [id, clientPerson(id, company, midnight)]))
  const definitions = propertyDefinitions(instanceId)
  const groups = skillGroups(instanceId)
  const people = staff(instanceId)
  const random = new Random(SALT, instanceId)
  const writer = new TalkWriter()
  const room: Room = {
    company,
    extent,
    midnight,
    clients,
    subjects: subjectList(instanceId),
    staff: people,
    writer,
    random,
    told: new Map()
  }
  yield* inBatches("users", users(instanceId, dayStart(midnight, 0) - 300 * DAY_MILLIS))
  yield* inBatches("subjects", subjects(instanceId))
  yield* inBatches("skillGroups", groups)
  yield* inBatches("propertyDefinitions", definitions)
  yield* inBatches(
    "clients",
    [...clients.values()].map(({ row }) => row)
  )
  yield* inBatches("propertyValues", [
    ...[...clients.values()].flatMap((client) => clientProperties(client, definitions, midnight)),
    ...room.subjects.flatMap((subject) => subjectProperties(subject, definitions, midnight)),
    ...people.flatMap((user) => operatorProperties(user, definitions, midnight)),
    ...groups.flatMap((group) => skillGroupProperties(group, definitions, midnight))
  ])
  const named = new Map<number, Array<NamedAppeal>>()
  yield* appealBatches(room, nextMessageId, named)
  yield* contextBatches(room, named)
}

function* contextBatches(
  room: Room,
  named: ReadonlyMap<number, ReadonlyArray<NamedAppeal>>
): Generator<SeedBatch> {
  const { company, midnight, subjects, writer } = room
  const operators = room.staff.filter((user) => user.role === "operator" && !user.left)
  const made = [...room.clients.values()].map((client) =>
    clientContext({
      client,
      company,
      subjects,
      operators,
      appeals: named.get(client.row.id) ?? [],
      midnight,
      writer
    })
  )
  yield* inBatches(
    "clientState",
    made.flatMap(({ state }) => state)
  )
  yield* inBatches(
    "clientStateHistory",
    made.flatMap(({ history }) => history)
  )
  yield* inBatches(
    "clientActions",
    made.flatMap(({ actions }) => actions)
  )
  yield* inBatches(
    "contextSessions",
    made.flatMap(({ sessions }) => sessions)
  )
  yield* inBatches(
    "sessionMessages",
    made.flatMap(({ sessionMessages }) => sessionMessages)
  )
}

/**
 * All rows of a demo, batch by batch. `demo`: 2,000 clients, 20,000 appeals, about 200,000 messages and a second small
 * instance; `small`: a hundredth of the clients and appeals with the same logins and fixed ids; `empty`: instance 1 alone
 * (docs/contract.md §11).
 */
export function* demoData(options: DemoOptions): Generator<SeedBatch> {
  const { midnight, size } = options
  if (size === "empty") {
    yield* inBatches(
      "instances",
      companies.slice(0, 1).map(({ instance }) => instance)
    )
    return
  }
  let messageId = 0
  const nextMessageId = () => ++messageId
  yield* inBatches(
    "instances",
    companies.map(({ instance }) => instance)
  )
  for (const company of companies) {
    const extent = extents[size][company.instance.id]
    if (extent !== undefined) yield* instanceBatches(company, extent, midnight, nextMessageId)
  }
  yield* inBatches("quarantine", [
    {
      instanceId: fixedIds.instance,
      kind: "evidence",
      key: fixedIds.quarantinedAppeal,
      reason: "the document was refused five times: text holds a control character",
      tries: 5,
      createdAt: midnight - 2 * HOUR_MILLIS
    }
  ])
}
