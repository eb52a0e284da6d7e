// What the tests of the demo data share: a demo gathered by table, and small questions about its rows.
import { fixedIds } from "./Company.ts"
import { type DemoSize, demoData } from "./DemoData.ts"
import type { SeedTable, SeedTables } from "./SeedRows.ts"

/** The day of seeding of every test. */
export const midnight = Date.UTC(2026, 9, 5)

export type Rows = { readonly [T in SeedTable]: Array<SeedTables[T]> }

export const gather = (size: DemoSize): Rows & { readonly largest: number } => {
  let largest = 0
  const rows: Rows = {
    instances: [],
    users: [],
    subjects: [],
    skillGroups: [],
    clients: [],
    appeals: [],
    appealMessages: [],
    propertyDefinitions: [],
    propertyValues: [],
    clientState: [],
    clientStateHistory: [],
    clientActions: [],
    contextSessions: [],
    sessionMessages: [],
    quarantine: [],
    calendars: [],
    slaTargets: [],
    criteria: [],
    checklists: [],
    assessments: [],
    bots: [],
    botNodes: [],
    customModels: [],
    customRecords: []
  }
  const add = <T extends SeedTable>(table: T, more: ReadonlyArray<SeedTables[T]>) => {
    largest = Math.max(largest, more.length)
    const into: Array<SeedTables[T]> = rows[table]
    for (const row of more) into.push(row)
  }
  for (const batch of demoData({ size, midnight })) add(batch.table, batch.rows as ReadonlyArray<never>)
  return { ...rows, largest }
}

export const of = <A extends { readonly appealId: number }>(
  rows: ReadonlyArray<A>
): ReadonlyMap<number, ReadonlyArray<A>> => Map.groupBy(rows, ({ appealId }) => appealId)

export const mine = <A extends { readonly clientId: number }>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows.filter((row) => row.clientId === fixedIds.client)

export const own = (rows: ReadonlyArray<{ readonly instanceId: number }>): number =>
  rows.filter(({ instanceId }) => instanceId === fixedIds.instance).length

export const most = (texts: ReadonlyArray<string | null>): readonly [string, number] => {
  const counts = new Map<string, number>()
  for (const text of texts)
    if (text !== null && text.length > 40) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0])
}
