// The demo data as a pure generator: the same size and midnight give the same rows, in batches, parents before children.
import { AppealMaker } from "./Appeals.ts"
import { appealSpecs, type DemoInstance } from "./AppealSpecs.ts"
import { DAY_MILLIS, dayStart, HOUR_MILLIS } from "./Calendar.ts"
import { clientActions } from "./ClientActions.ts"
import { clientSessions } from "./ClientSessions.ts"
import { clientStates } from "./ClientStates.ts"
import { clientPerson } from "./Clients.ts"
import {
  companies,
  type Company,
  fixedIds,
  skillGroups,
  staff,
  subjectList,
  subjects,
  users
} from "./Company.ts"
import type { ContextSpec, NamedAppeal } from "./ContextSpec.ts"
import { customRecords } from "./CustomData.ts"
import { type DemoSize, type Extent, extents, stretched } from "./DemoExtents.ts"
import { fixedRows } from "./FixedRows.ts"
import {
  clientProperties,
  operatorProperties,
  skillGroupProperties,
  subjectProperties
} from "./Properties.ts"
import { propertyDefinitions } from "./PropertyDefinitions.ts"
import { assessments, isAssessed } from "./Quality.ts"
import { Random } from "./Random.ts"
import type { AppealMessageRow, AppealRow, SeedBatch, SeedTable, SeedTables } from "./SeedRows.ts"
import { TalkWriter } from "./Talk.ts"

export type { DemoSize } from "./DemoExtents.ts"

/** Rows of one batch at most. */
export const BATCH_ROWS_MAX = 2_000

const SALT = 5005

export interface DemoOptions {
  readonly size: DemoSize
  /** Midnight UTC of the day of seeding, epoch milliseconds: everything lies in the two years before it. */
  readonly midnight: number
  /** Appeals of the first instance, where it is not the number of the size. */
  readonly appeals?: number | undefined
}

function* inBatches<T extends SeedTable>(
  table: T,
  rows: ReadonlyArray<SeedTables[T]>
): Generator<{ readonly table: T; readonly rows: ReadonlyArray<SeedTables[T]> }> {
  for (let from = 0; from < rows.length; from += BATCH_ROWS_MAX)
    yield { table, rows: rows.slice(from, from + BATCH_ROWS_MAX) }
}

const NAMED_APPEALS_MAX = 6

function* appealBatches(
  demo: DemoInstance,
  nextMessageId: () => number,
  named: Map<number, Array<NamedAppeal>>,
  assessed: Array<AppealRow>
): Generator<SeedBatch> {
  const maker = new AppealMaker(demo.company, demo.writer, demo.midnight, nextMessageId)
  let appeals: Array<AppealRow> = []
  let messages: Array<AppealMessageRow> = []
  for (const spec of appealSpecs(demo)) {
    const made = maker.make(spec)
    appeals.push(made.appeal)
    if (isAssessed(made.appeal, demo.midnight)) assessed.push(made.appeal)
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
  const demo: DemoInstance = {
    company,
    extent,
    midnight,
    clients,
    subjects: subjectList(instanceId),
    staff: people,
    writer,
    random,
    planCounts: new Map()
  }
  yield* inBatches("users", users(instanceId, dayStart(midnight, 0) - 300 * DAY_MILLIS))
  yield* inBatches("subjects", subjects(instanceId))
  yield* inBatches("skillGroups", groups)
  if (instanceId === fixedIds.instance) {
    const fixed = fixedRows(instanceId, midnight)
    yield* inBatches("calendars", fixed.calendars)
    yield* inBatches("slaTargets", fixed.slaTargets)
    yield* inBatches("criteria", fixed.criteria)
    yield* inBatches("checklists", fixed.checklists)
    yield* inBatches("bots", fixed.bots)
    yield* inBatches("botNodes", fixed.botNodes)
    yield* inBatches("customModels", fixed.customModels)
  }
  yield* inBatches("propertyDefinitions", definitions)
  yield* inBatches(
    "clients",
    [...clients.values()].map(({ row }) => row)
  )
  yield* inBatches(
    "customRecords",
    customRecords(
      [...clients.values()].map(({ row }) => row),
      midnight
    )
  )
  yield* inBatches("propertyValues", [
    ...[...clients.values()].flatMap((client) => clientProperties(client, definitions, midnight)),
    ...demo.subjects.flatMap((subject) => subjectProperties(subject, definitions, midnight)),
    ...people.flatMap((user) => operatorProperties(user, definitions, midnight)),
    ...groups.flatMap((group) => skillGroupProperties(group, definitions, midnight))
  ])
  const named = new Map<number, Array<NamedAppeal>>()
  const assessed: Array<AppealRow> = []
  yield* appealBatches(demo, nextMessageId, named, assessed)
  yield* inBatches("assessments", assessments(assessed))
  yield* contextBatches(demo, named)
}

function* contextBatches(
  demo: DemoInstance,
  named: ReadonlyMap<number, ReadonlyArray<NamedAppeal>>
): Generator<SeedBatch> {
  const operators = demo.staff.filter((user) => user.role === "operator" && !user.left)
  const made = [...demo.clients.values()].map((client) => {
    const spec: ContextSpec = { ...demo, client, operators, appeals: named.get(client.row.id) ?? [] }
    const random = new Random(SALT, client.row.id)
    return {
      ...clientStates(spec, random),
      actions: clientActions(spec, random),
      ...clientSessions(spec, random)
    }
  })
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
 * instance; `small`: a hundredth of the clients and appeals with the same logins and fixed ids; `empty`: only instance 1
 * (contract §11).
 */
export function* demoData(options: DemoOptions): Generator<SeedBatch> {
  const { appeals, midnight, size } = options
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
    if (extent === undefined) continue
    const taken = appeals === undefined ? extent : stretched(extent, company.instance.id, appeals)
    yield* instanceBatches(company, taken, midnight, nextMessageId)
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
