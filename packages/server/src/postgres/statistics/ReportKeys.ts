// SQL of the keys of a report's rows, over the columns of `counted` (contract §9.3).
import { priorities } from "@rapport/contract/appeals/Appeal.ts"
import type { KeyMember, ReportRequest } from "@rapport/core/statistics/ReportRequest.ts"
import { type Fragment, sql } from "../sql/Fragment.ts"

const columnOf: Readonly<Record<KeyMember, string>> = {
  subjectId: "counted.subject_id",
  operatorId: "counted.operator_id",
  channel: "counted.channel",
  priority: "counted.priority"
}

/** The columns of `counted` that keys are made of, from `dialogues a`. Channels are grouped by bytes, which is enough for equality. */
export const keyColumns = ({ buckets }: ReportRequest): Fragment => {
  const columns = sql.literal(`a.subject_id, a.operator_id, a.channel collate "C" as channel, a.priority`)
  return buckets === null
    ? columns
    : sql`${columns}, width_bucket(a.created_ms, ${startsOf(buckets)}) as bucket`
}

/** The start times of buckets, epoch milliseconds. */
const startsOf = (buckets: ReadonlyArray<number>) => sql`${buckets.map(String)}::text[]::float8[]`

interface ReportKey {
  /** The JSON of the key; null for the totals. */
  readonly shown: Fragment
  /** The clauses after `from counted`: a row for the totals, which is the first, and one for each key. */
  readonly grouped: Fragment
}

export const reportKey = ({ buckets, members }: ReportRequest): ReportKey => {
  const columns = [
    ...members.map((member) => columnOf[member]),
    ...(buckets === null ? [] : ["counted.bucket"])
  ]
  const [first] = columns
  if (first === undefined) return { shown: sql.literal("null::json"), grouped: sql.literal("") }
  const shown = [
    ...members.map((member) => sql.literal(`'${member}', ${columnOf[member]}`)),
    ...(buckets === null ? [] : [sql`'bucket', (${startsOf(buckets)})[counted.bucket]`])
  ]
  const orders = columns.map((column) =>
    column === columnOf.priority ? `array_position('{${priorities.join(",")}}'::text[], ${column})` : column
  )
  return {
    shown: sql`case grouping(${sql.literal(first)}) when 0 then json_build_object(${sql.csv(shown)}) end`,
    grouped: sql.literal(`group by grouping sets ((), (${columns.join(", ")}))
      order by grouping(${first}) desc, ${orders.join(", ")}`)
  }
}
