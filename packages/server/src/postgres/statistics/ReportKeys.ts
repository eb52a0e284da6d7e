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
export const columnOf: Readonly<Record<KeyMember, string>> = {
  subjectId: "subject_id",
  operatorId: "operator_id",
  // Grouped by bytes, which is enough for equality.
  channel: `channel collate "C"`,
  priority: "priority"
}

/**
 * An id and a bucket in one number, the bucket in the low bits, because sorting a year by one number is a fifth faster. Sequences never
 * reach the remaining 49 bits. A range has at most 366 × 24 buckets.
 */
const BUCKET_BITS = 14
const NO_ID = -1
const combinedMember = ({ buckets, members }: ReportRequest): KeyMember | undefined =>
  buckets === null ? undefined : members.find((member) => member === "subjectId" || member === "operatorId")

interface ReportKey {
  /** The expressions after `group by`. Null if the totals are the only row. */
  readonly groups: Statement.Fragment | null
  /** The columns of KeyRow, over `counted`. */
  readonly shown: Statement.Fragment
}

/** The columns of KeyRow for the totals. */
export const totalsKey = `true as "isTotal", null::float8 as "subjectId", null::float8 as "operatorId",
  null::text as channel, null::text as priority, null::int4 as bucket`
export const keyNames = `"isTotal", "subjectId", "operatorId", channel, priority, bucket`
/** Totals first. */
export const keyOrder = `"isTotal" desc, "subjectId" nulls last, "operatorId" nulls last, channel nulls last,
  array_position(array[${priorities.map((name) => `'${name}'`).join(", ")}], priority) nulls last, bucket`

export const reportKey = (sql: Sql, request: ReportRequest): ReportKey => {
  const { buckets, members } = request
  const combined = combinedMember(request)
  const memberOf = (member: KeyMember): string =>
    member === combined
      ? `nullif(counted.bucketed >> ${BUCKET_BITS}, ${NO_ID})`
      : `counted.${columnOf[member]}`
  const bucket =
    combined === undefined ? "counted.bucket" : `(counted.bucketed & ${2 ** BUCKET_BITS - 1})::int4`
  const columns = [
    ...members.filter((member) => member !== combined).map((member) => `counted.${columnOf[member]}`),
    ...(buckets === null ? [] : [combined === undefined ? "counted.bucket" : "counted.bucketed"])
  ]
  const shown = (member: KeyMember): string => {
    const type = member === "channel" || member === "priority" ? "text" : "float8"
    return members.includes(member) ? `(${memberOf(member)})::${type}` : `null::${type}`
  }
  return {
    groups: columns.length === 0 ? null : sql.literal(columns.join(", ")),
    shown: sql.literal(`false as "isTotal", ${shown("subjectId")} as "subjectId",
      ${shown("operatorId")} as "operatorId", ${shown("channel")} as channel, ${shown("priority")} as priority,
      ${buckets === null ? "null::int4" : bucket} as bucket`)
  }
}

/** The index of a dialogue's bucket, combined with the id of its group. The bounds are read once in the statement. */
export const bucketOf = (sql: Sql, request: ReportRequest): Statement.Fragment => {
  if (request.buckets === null) return sql.literal("")
  const bucket = sql`width_bucket(a.created_ms, ${request.buckets.map(String)}::text[]::float8[]) - 1`
  const combined = combinedMember(request)
  return combined === undefined
    ? sql`, ${bucket} as bucket`
    : sql`, (${sql.literal(`coalesce(a.${columnOf[combined]}, ${NO_ID}) << ${BUCKET_BITS}`)}) + ${bucket} as bucketed`
}
