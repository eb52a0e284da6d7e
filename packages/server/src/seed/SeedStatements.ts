// The statements that load a batch of the demo data. Columns have the names of the members, and PostgreSQL knows their types.
import { scoreOf } from "@rapport/core/quality/Scoring.ts"
import type { SeedBatch, SeedTable, SeedTables } from "@rapport/demo/DemoData.ts"
import { contactsOf } from "../postgres/clients/ClientContacts.ts"
import { columnName } from "../postgres/sql/Columns.ts"

interface SeedStatement {
  readonly text: string
  readonly parameters: ReadonlyArray<string>
}

const ofQuality: ReadonlySet<SeedTable> = new Set(["criteria", "checklists", "assessments"])
export const tableOf = (table: SeedTable): string =>
  ofQuality.has(table) ? `quality_${table}` : columnName(table)

const updatedAtOf = ({ createdAt }: { readonly createdAt: number }) => ({ updatedAt: createdAt })
const recordedAtOf = ({ occurredAt }: { readonly occurredAt: number }) => ({ recordedAt: occurredAt })

/** Columns that the generated rows do not have. */
const derived: { readonly [T in SeedTable]?: (row: SeedTables[T]) => object } = {
  instances: () => ({ contextStoreReady: true }),
  users: updatedAtOf,
  clients: updatedAtOf,
  customRecords: updatedAtOf,
  appealMessages: recordedAtOf,
  sessionMessages: recordedAtOf,
  assessments: ({ criteria }) => ({ checklistVersion: 1, score: scoreOf(criteria) })
}

/** Members that are no columns: `relationsOf` and the loader read them. */
const notColumns: ReadonlySet<string> = new Set([
  "hasDemoPassword",
  "subjectIds",
  "memberIds",
  "identities",
  "criterionIds",
  "criteria"
])

/** The statements of one batch, in order. */
export const statementsOf = (batch: SeedBatch): ReadonlyArray<SeedStatement> => [
  insertOf(batch),
  ...relationsOf(batch)
]

const insertOf = <T extends SeedTable>(batch: {
  readonly table: T
  readonly rows: ReadonlyArray<SeedTables[T]>
}): SeedStatement =>
  insert(
    tableOf(batch.table),
    batch.rows.map((row) => ({ ...row, ...derived[batch.table]?.(row) }))
  )

/** One row for each item of the batch's rows. */
const insertItems = <Row extends { readonly instanceId: number }, Item>(
  table: string,
  rows: ReadonlyArray<Row>,
  itemsOf: (row: Row) => ReadonlyArray<Item>,
  rowOf: (row: Row, item: Item, place: number) => object
): SeedStatement =>
  insert(
    table,
    rows.flatMap((row) =>
      itemsOf(row).map((item, i) => ({ instanceId: row.instanceId, ...rowOf(row, item, i + 1) }))
    )
  )

const relationsOf = (batch: SeedBatch): ReadonlyArray<SeedStatement> => {
  switch (batch.table) {
    case "skillGroups":
      return [
        insertItems(
          "skill_group_subjects",
          batch.rows,
          ({ subjectIds }) => subjectIds,
          ({ id }, subjectId) => ({ skillGroupId: id, subjectId })
        ),
        insertItems(
          "skill_group_members",
          batch.rows,
          ({ memberIds }) => memberIds,
          ({ id }, userId) => ({ skillGroupId: id, userId })
        )
      ]
    case "clients":
      return [
        insertItems(
          "client_identities",
          batch.rows,
          ({ identities }) => identities,
          ({ id }, identity) => ({ clientId: id, ...identity })
        ),
        insertItems(
          "client_contacts",
          batch.rows,
          (client) => contactsOf(client, "UA"),
          ({ id }, contact) => ({ clientId: id, ...contact })
        )
      ]
    case "checklists":
      return [
        insertItems(
          "quality_checklist_criteria",
          batch.rows,
          ({ criterionIds }) => criterionIds,
          ({ id }, criterionId, place) => ({ checklistId: id, criterionId, place })
        )
      ]
    case "assessments":
      return [
        insertItems(
          "quality_assessment_criteria",
          batch.rows,
          ({ criteria }) => criteria,
          ({ id }, criterion, place) => ({ assessmentId: id, place, criterionVersion: 1, ...criterion })
        )
      ]
    case "customModels":
      return [fieldIds]
    default:
      return []
  }
}

/** The inserted fields have ids, so the sequence continues after them. */
const fieldIds: SeedStatement = {
  text: `select setval('custom_field_ids', (select max((field->>'id')::int8)
    from custom_models m, json_array_elements(m.fields) field))`,
  parameters: []
}

const isTime = /(?:At|Since|Until)$/u

const valueOf = (member: string, value: unknown): unknown =>
  isTime.test(member) && typeof value === "number" ? new Date(Math.round(value)).toISOString() : value

const insert = (table: string, rows: ReadonlyArray<object>): SeedStatement => {
  const values = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).flatMap(([member, value]) =>
        notColumns.has(member) ? [] : [[columnName(member), valueOf(member, value)] as const]
      )
    )
  )
  const columns = Object.keys(values[0] ?? { instance_id: 0 }).join(", ")
  return {
    text: `insert into ${table} (${columns}) overriding system value
      select ${columns} from json_populate_recordset(null::${table}, $1::text::json)`,
    parameters: [JSON.stringify(values)]
  }
}
