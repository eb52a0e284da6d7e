// SQL of the key of a report's rows: grouping and result columns (contract §9.3).
import { priorities } from "@rapport/contract/appeals/Appeal.ts"
import type { KeyMember, ReportRequest } from "@rapport/core/statistics/ReportRequest.ts"
import type { RowKey } from "@rapport/core/statistics/StatisticsStore.ts"
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

type Sql = SqlClient.SqlClient

const Number0 = Schema.NullOr(Schema.Finite)
export const KeyRow = {
  isTotal: Schema.Boolean,
  subjectId: Number0,
  operatorId: Number0,
  channel: Schema.NullOr(Schema.String),
  priority: Schema.NullOr(Schema.String),
  bucket: Number0
}

export const rowKey = ({
  bucket,
  channel,
  operatorId,
  priority,
  subjectId
}: Schema.Struct.Type<typeof KeyRow>): RowKey => ({
  members: { subjectId, operatorId, channel, priority },
  bucket
})

/** The columns of `counted`. */
const columnOf: Readonly<Record<KeyMember, string>> = {
  subjectId: "subject_id",
  operatorId: "operator_id",
  // Grouped by bytes, which is enough for equality.
  channel: `channel collate "C"`,
  priority: "priority"
}

interface ReportKey {
  /** The expressions after `group by`. Null if the totals are the only row. */
  readonly groups: Statement.Fragment | null
  /** The columns of KeyRow, over `counted`. */
  readonly shown: Statement.Fragment
}

/** The columns of KeyRow for the totals. */
export const totalsKey = `true as "isTotal", null::float8 as "subjectId", null::float8 as "operatorId",
  null::text as channel, null::text as priority, null::int4 as bucket`
/** Totals first. */
export const keyOrder = `"isTotal" desc, "subjectId" nulls last, "operatorId" nulls last, channel nulls last,
  array_position(array[${priorities.map((name) => `'${name}'`).join(", ")}], priority) nulls last, bucket`

export const reportKey = (sql: Sql, { buckets, members }: ReportRequest): ReportKey => {
  const columns = [
    ...members.map((member) => `counted.${columnOf[member]}`),
    ...(buckets === null ? [] : ["counted.bucket"])
  ]
  const shownColumn = (member: KeyMember): string => {
    const type = member === "channel" || member === "priority" ? "text" : "float8"
    return members.includes(member) ? `(counted.${columnOf[member]})::${type}` : `null::${type}`
  }
  return {
    groups: columns.length === 0 ? null : sql.literal(columns.join(", ")),
    shown: sql.literal(`false as "isTotal", ${shownColumn("subjectId")} as "subjectId",
      ${shownColumn("operatorId")} as "operatorId", ${shownColumn("channel")} as channel, ${shownColumn("priority")} as priority,
      ${buckets === null ? "null::int4" : "counted.bucket"} as bucket`)
  }
}

/** The index of a dialogue's bucket, as a further column. */
export const bucketOf = (sql: Sql, { buckets }: ReportRequest): Statement.Fragment =>
  buckets === null
    ? sql.literal("")
    : sql`, width_bucket(a.created_ms, ${buckets.map(String)}::text[]::float8[]) - 1 as bucket`
