// The demo data as a pure generator: the same size and midnight give the same rows, in batches, parents before children.
import { type AppealRow, makeAppeal } from "./Appeals.ts"
import { appealSpecs } from "./AppealSpecs.ts"
import { DAY_MILLIS, dayStart, HOUR_MILLIS } from "./Calendar.ts"
import { clientActions } from "./ClientActions.ts"
import { clientSessions } from "./ClientSessions.ts"
import { clientStates } from "./ClientStates.ts"
import { companies, fixedIds, skillGroups, subjects, users } from "./Company.ts"
import { customRecords } from "./CustomData.ts"
import { type DemoSize, extents, withAppeals } from "./DemoExtents.ts"
import { counter, demoClient, demoInstance, type DemoInstance, type NamedAppeal } from "./DemoInstance.ts"
import { fixedRows } from "./FixedRows.ts"
import { propertyDefinitions, propertyValues } from "./Properties.ts"
import { assessments, isAssessed } from "./Quality.ts"

/** The most rows of one batch. */
export const BATCH_ROWS_MAX = 2_000

interface DemoOptions {
  readonly size: DemoSize
  /** Midnight UTC of the day of seeding, epoch milliseconds: everything lies in the two years before it. */
  readonly midnight: number
  /** Appeals of the first instance. By default the size determines them. */
  readonly appeals?: number | undefined
}

function* inBatches<T extends string, Row>(
  table: T,
  rows: ReadonlyArray<Row>
): Generator<{ readonly table: T; readonly rows: ReadonlyArray<Row> }> {
  for (let from = 0; from < rows.length; from += BATCH_ROWS_MAX)
    yield { table, rows: rows.slice(from, from + BATCH_ROWS_MAX) }
}

const NAMED_APPEALS_MAX = 6

function* appealBatches(demo: DemoInstance, named: Map<number, Array<NamedAppeal>>) {
  const assessed: Array<AppealRow> = []
  let appeals: Array<AppealRow> = []
  let messages: Array<ReturnType<typeof makeAppeal>["messages"][number]> = []
  for (const spec of appealSpecs(demo)) {
    const made = makeAppeal(demo, spec)
    appeals.push(made.appeal)
    if (isAssessed(made.appeal, demo.midnight)) assessed.push(made.appeal)
    for (const message of made.messages) messages.push(message)
    const own = named.get(made.appeal.clientId) ?? []
    if (own.length < NAMED_APPEALS_MAX || made.appeal.clientId === fixedIds.client)
      named.set(made.appeal.clientId, [...own, spec])
    if (messages.length < BATCH_ROWS_MAX) continue
    yield* inBatches("appeals", appeals)
    yield* inBatches("appealMessages", messages)
    appeals = []
    messages = []
  }
  yield* inBatches("appeals", appeals)
  yield* inBatches("appealMessages", messages)
  yield* inBatches("assessments", assessments(assessed))
}

/** Rows that only the first instance has. */
function* fixedBatches({ clients, midnight }: DemoInstance) {
  const fixed = fixedRows(fixedIds.instance, midnight)
  yield* inBatches("calendars", fixed.calendars)
  yield* inBatches("slaTargets", fixed.slaTargets)
  yield* inBatches("criteria", fixed.criteria)
  yield* inBatches("checklists", fixed.checklists)
  yield* inBatches("bots", fixed.bots)
  yield* inBatches("botNodes", fixed.botNodes)
  yield* inBatches("customModels", fixed.customModels)
  yield* inBatches("customRecords", customRecords([...clients.values()], midnight))
}

function* instanceBatches(demo: DemoInstance) {
  const { clients, company, midnight } = demo
  const instanceId = company.instance.id
  yield* inBatches("users", users(company, dayStart(midnight, 0) - 300 * DAY_MILLIS))
  yield* inBatches("subjects", subjects(instanceId))
  yield* inBatches("skillGroups", skillGroups(instanceId))
  yield* inBatches(
    "clients",
    [...clients.values()].map(({ row }) => row)
  )
  if (instanceId === fixedIds.instance) yield* fixedBatches(demo)
  yield* inBatches("propertyDefinitions", propertyDefinitions(instanceId))
  yield* inBatches("propertyValues", propertyValues(demo))
  const named = new Map<number, Array<NamedAppeal>>()
  yield* appealBatches(demo, named)
  yield* contextBatches(demo, named)
}

function* contextBatches(demo: DemoInstance, named: ReadonlyMap<number, ReadonlyArray<NamedAppeal>>) {
  const made = [...demo.clients].map(([id, person]) => {
    const client = demoClient(demo, person, named.get(id) ?? [])
    return { ...clientStates(client), actions: clientActions(client), ...clientSessions(client) }
  })
  const state = made.flatMap((one) => one.state)
  const history = made.flatMap((one) => one.history)
  const actions = made.flatMap((one) => one.actions)
  const sessions = made.flatMap((one) => one.sessions)
  const messages = made.flatMap((one) => one.sessionMessages)
  yield* inBatches("clientState", state)
  yield* inBatches("clientStateHistory", history)
  yield* inBatches("clientActions", actions)
  yield* inBatches("contextSessions", sessions)
  yield* inBatches("sessionMessages", messages)
}

/**
 * All rows of a demo, batch by batch. `demo`: 2,000 clients, 20,000 appeals, about 200,000 messages and a second small
 * instance; `small`: a hundredth of the clients and appeals with the same logins and fixed ids (contract §11).
 */
export function* demoData({ appeals, midnight, size }: DemoOptions) {
  yield* inBatches(
    "instances",
    companies.map(({ instance }) => instance)
  )
  const nextMessageId = counter()
  for (const company of companies) {
    const extent = extents[size][company.instance.id]
    if (extent === undefined) continue
    const scaled = appeals === undefined ? extent : withAppeals(extent, company.instance.id, appeals)
    yield* instanceBatches(demoInstance(company, scaled, midnight, nextMessageId))
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

/** At most 2,000 rows of one table; it only names rows of tables that earlier batches filled. */
export type SeedBatch = ReturnType<typeof demoData> extends Generator<infer Batch> ? Batch : never
export type SeedTable = SeedBatch["table"]
/** Table name → row. */
export type SeedTables = { readonly [Batch in SeedBatch as Batch["table"]]: Batch["rows"][number] }
