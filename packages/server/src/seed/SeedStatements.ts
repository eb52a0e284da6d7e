// The statements that load a batch of the demo data: `insert … select … from unnest(arrays)`, as fast as COPY.
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"
import { type Contact, contactsOf } from "../postgres/clients/ClientContacts.ts"
import { type Insert, insert, inserts, type Kind } from "./SeedColumns.ts"
import type {
  AssessedCriterionRow,
  ClientIdentity,
  SeedBatch,
  SeedTable,
  SeedTables,
  SkillGroupRow
} from "@rapport/demo/SeedRows.ts"

interface SeedStatement {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
}

// Parameter types and casts of columns. Doubles represent every id exactly; nested arrays are sent as array literals.
const travels: Record<
  Kind,
  { readonly oid: number; readonly array: string; readonly becomes: (column: string) => string }
> = {
  number: { oid: PgTypes.OID.float8, array: "float8[]", becomes: (c) => `${c}::int8` },
  decimal: { oid: PgTypes.OID.float8, array: "float8[]", becomes: (c) => c },
  time: { oid: PgTypes.OID.float8, array: "float8[]", becomes: (c) => `to_timestamp(${c} / 1000)` },
  text: { oid: PgTypes.OID.text, array: "text[]", becomes: (c) => c },
  uuid: { oid: PgTypes.OID.text, array: "text[]", becomes: (c) => `${c}::uuid` },
  json: { oid: PgTypes.OID.text, array: "text[]", becomes: (c) => `${c}::json` },
  boolean: { oid: PgTypes.OID.bool, array: "bool[]", becomes: (c) => c },
  numbers: { oid: PgTypes.OID.text, array: "text[]", becomes: (c) => `${c}::int8[]` },
  texts: { oid: PgTypes.OID.text, array: "text[]", becomes: (c) => `${c}::text[]` }
}

// Rows of a relation table that belong to a generated row.
interface Pair {
  readonly instanceId: number
  readonly ownerId: number
  readonly otherId: number
}
const pairs = (table: string, owner: string, other: string) =>
  insert<Pair>(
    table,
    { number: ["instanceId"] },
    [owner, "number", (r) => r.ownerId],
    [other, "number", (r) => r.otherId]
  )
const groupSubjects = pairs("skill_group_subjects", "skill_group_id", "subject_id")
const groupMembers = pairs("skill_group_members", "skill_group_id", "user_id")
const identities = insert<ClientIdentity & { readonly instanceId: number; readonly clientId: number }>(
  "client_identities",
  { number: ["instanceId", "clientId"], text: ["channel", "chatId"], boolean: ["subscribed"] }
)
const contacts = insert<Contact & { readonly instanceId: number; readonly clientId: number }>(
  "client_contacts",
  {
    number: ["instanceId", "clientId"],
    text: ["kind", "normalForm"]
  }
)
const checklistCriteria = insert<
  Readonly<Record<"instanceId" | "checklistId" | "criterionId" | "place", number>>
>("quality_checklist_criteria", { number: ["instanceId", "checklistId", "criterionId", "place"] })

interface AssessedCriterion extends AssessedCriterionRow {
  readonly instanceId: number
  readonly assessmentId: number
  readonly place: number
}
const assessmentCriteria = insert<AssessedCriterion>(
  "quality_assessment_criteria",
  {
    number: ["instanceId", "assessmentId", "criterionId", "place", "weight", "penalty"],
    text: ["name", "automatic", "human", "comment"],
    boolean: ["critical"]
  },
  ["criterion_version", "number", () => 1]
)

const pairsOf = (rows: ReadonlyArray<SkillGroupRow>, idsOf: (row: SkillGroupRow) => ReadonlyArray<number>) =>
  rows.flatMap((row) =>
    idsOf(row).map((otherId) => ({ instanceId: row.instanceId, ownerId: row.id, otherId }))
  )

/** The statements of one batch, in order. */
export const statementsOf = (batch: SeedBatch): ReadonlyArray<SeedStatement> => {
  switch (batch.table) {
    case "skillGroups":
      return [
        insertOf(batch),
        statement(
          groupSubjects,
          pairsOf(batch.rows, (row) => row.subjectIds)
        ),
        statement(
          groupMembers,
          pairsOf(batch.rows, (row) => row.memberIds)
        )
      ]
    case "clients":
      return [
        insertOf(batch),
        statement(
          identities,
          batch.rows.flatMap((row) =>
            row.identities.map((identity) => ({ ...identity, instanceId: row.instanceId, clientId: row.id }))
          )
        ),
        statement(
          contacts,
          batch.rows.flatMap((row) =>
            contactsOf(row, "UA").map((contact) => ({
              ...contact,
              instanceId: row.instanceId,
              clientId: row.id
            }))
          )
        )
      ]
    case "checklists":
      return [
        insertOf(batch),
        statement(
          checklistCriteria,
          batch.rows.flatMap(({ criterionIds, id, instanceId }) =>
            criterionIds.map((criterionId, i) => ({ instanceId, checklistId: id, criterionId, place: i + 1 }))
          )
        )
      ]
    case "assessments":
      return [
        insertOf(batch),
        statement(
          assessmentCriteria,
          batch.rows.flatMap((row) =>
            row.criteria.map((criterion, i) => ({
              ...criterion,
              instanceId: row.instanceId,
              assessmentId: row.id,
              place: i + 1
            }))
          )
        )
      ]
    case "customModels":
      return [insertOf(batch), fieldIds]
    default:
      return [insertOf(batch)]
  }
}

/** The inserted fields have ids, so the sequence continues after them. */
const fieldIds: SeedStatement = {
  text: `select setval('custom_field_ids', (select max((field->>'id')::int8)
    from custom_models m, json_array_elements(m.fields) field))`,
  parameters: []
}

const insertOf = <T extends SeedTable>(batch: {
  readonly table: T
  readonly rows: ReadonlyArray<SeedTables[T]>
}) => statement<SeedTables[T]>(inserts[batch.table], batch.rows)

const statement = <Row>({ columns, table }: Insert<Row>, rows: ReadonlyArray<Row>): SeedStatement => {
  const names = columns.map(([name]) => name)
  const arrays = columns.map(([, kind], i) => `$${i + 1}::${travels[kind].array}`)
  const values = columns.map(([, kind], i) => travels[kind].becomes(`u.c${i}`))
  return {
    text: `insert into ${table} (${names.join(", ")}) overriding system value select ${values.join(", ")} from unnest(${arrays.join(", ")}) u(${columns.map((_, i) => `c${i}`).join(", ")})`,
    parameters: columns.map(([, kind, valueOf]) =>
      Result.getOrThrow(PgTypes.array(rows.map(valueOf), travels[kind].oid))
    )
  }
}
