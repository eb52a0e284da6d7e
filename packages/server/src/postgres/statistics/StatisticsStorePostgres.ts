// The numbers of the statistics in PostgreSQL: one statement reads the dialogues of a range once and makes rows and totals of
// them together, so that they always agree (docs/contract.md §9.3).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { DialogueMetrics, SlaTotals } from "@rapport/contract/statistics/Report.ts"
import type { KeyMember, ReportRequest } from "@rapport/core/statistics/ReportRequest.ts"
import { type Aggregated, type RowKey, StatisticsStore } from "@rapport/core/statistics/StatisticsStore.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { filterConditions, listRows } from "../sql/ListQuery.ts"
import { query } from "../sql/Query.ts"
import { dialogueList } from "./DialogueColumns.ts"
import { judgedColumns, judgedTables } from "./SlaJudging.ts"

type Sql = SqlClient.SqlClient

/** Rows decoded between two looks at other work. */
const ROWS_AT_ONCE = 500
/** Sorts of a year stay in memory; so many statements run at once as STATISTICS_AT_ONCE allows. */
const WORK_MEM = "64MB"

const Number0 = Schema.NullOr(Schema.Finite)
const KeyRow = {
  isTotal: Schema.Boolean,
  subjectId: Number0,
  operatorId: Number0,
  channel: Schema.NullOr(Schema.String),
  bucket: Number0
}
const DialogueRow = Schema.Struct({
  ...KeyRow,
  count: Schema.Int,
  closed: Schema.Int,
  messages: Schema.Int,
  tfr: Schema.Tuple([Number0, Number0, Number0]),
  ttc: Schema.Tuple([Number0, Number0, Number0])
})
const Judged = Schema.Tuple([Schema.Int, Schema.Int, Schema.Int])
const SlaRow = Schema.Struct({ ...KeyRow, tfr: Judged, ttc: Judged })

const columnOf: Readonly<Record<KeyMember, string>> = {
  subjectId: "subject_id",
  operatorId: "operator_id",
  channel: "channel"
}

/**
 * An id and a bucket in one number, the bucket in its low bits: sorting a year by one number instead of two columns takes a
 * fifth less. Ids come from sequences, which never reach the 49 bits that are left; a range has at most 366 × 24 buckets.
 */
const BUCKET_BITS = 14
const NO_ID = -1
const combinedMember = ({ buckets, members }: ReportRequest): KeyMember | undefined =>
  buckets === null ? undefined : members.find((member) => member !== "channel")

/** Names of the grouped columns of `counted c`, and how a row shows its key. */
const keyOf = (sql: Sql, request: ReportRequest) => {
  const { buckets, members } = request
  const combined = combinedMember(request)
  const memberOf = (member: KeyMember): string =>
    member === combined ? `nullif(c.bucketed >> ${BUCKET_BITS}, ${NO_ID})` : `c.${columnOf[member]}`
  const bucket = combined === undefined ? "c.bucket" : `(c.bucketed & ${2 ** BUCKET_BITS - 1})::int4`
  const columns = [
    ...members.filter((member) => member !== combined).map((member) => `c.${columnOf[member]}`),
    ...(buckets === null ? [] : [combined === undefined ? "c.bucket" : "c.bucketed"])
  ]
  const inOrder = [...members.map(memberOf), ...(buckets === null ? [] : [bucket])]
  const shown = (member: KeyMember): string =>
    members.includes(member)
      ? `${memberOf(member)}${member === "channel" ? "" : "::float8"}`
      : `null::${member === "channel" ? "text" : "float8"}`
  const total = columns.length === 0 ? "true" : `grouping(${columns.join(", ")}) > 0`
  return {
    groups: sql.literal(columns.length === 0 ? "()" : `grouping sets ((${columns.join(", ")}), ())`),
    order: sql.literal(
      columns.length === 0
        ? ""
        : `order by ${[`${total} desc`, ...inOrder.map((column) => `${column} nulls last`)].join(", ")}`
    ),
    shown: sql.literal(`${total} as "isTotal", ${shown("subjectId")} as "subjectId",
      ${shown("operatorId")} as "operatorId", ${shown("channel")} as channel,
      ${buckets === null ? "null::int4" : bucket} as bucket`)
  }
}

/** The place of a dialogue's bucket, from 0, with the id that it is grouped by; the bounds are read once for the statement. */
const bucketOf = (sql: Sql, request: ReportRequest): Statement.Fragment => {
  if (request.buckets === null) return sql.literal("")
  const bucket = sql`width_bucket(a.created_ms, (select ${request.buckets.map(String)}::text[]::float8[])) - 1`
  const combined = combinedMember(request)
  return combined === undefined
    ? sql`, ${bucket} as bucket`
    : sql`, (${sql.literal(`coalesce(a.${columnOf[combined]}, ${NO_ID}) << ${BUCKET_BITS}`)}) + ${bucket} as bucketed`
}

const seconds = (millis: string): string => `round((${millis} / 1000)::numeric, 6)::float8`
const duration = (column: string): string => `json_build_array(${seconds(`avg(c.${column})`)},
  ${seconds(`(percentile_cont(array[0.5, 0.9]) within group (order by c.${column}))[1]`)},
  ${seconds(`(percentile_cont(array[0.5, 0.9]) within group (order by c.${column}))[2]`)})`

const rowKey = (row: {
  readonly subjectId: number | null
  readonly operatorId: number | null
  readonly channel: string | null
  readonly bucket: number | null
}): RowKey => ({
  members: { subjectId: row.subjectId, operatorId: row.operatorId, channel: row.channel },
  bucket: row.bucket
})

type Decode<A> = (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>>
const decoderOf = <A, I>(row: Schema.Codec<A, I>): Decode<A> => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return (rows) =>
    Effect.map(
      Effect.forEach(
        Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, i) => i * ROWS_AT_ONCE),
        (start) =>
          Effect.andThen(Effect.yieldNow, decode(rows.slice(start, start + ROWS_AT_ONCE))).pipe(Effect.orDie)
      ),
      (slices) => slices.flat()
    )
}
const dialogueRowsOf = decoderOf(DialogueRow)
const slaRowsOf = decoderOf(SlaRow)

/** The row of totals stands first; without a key it is the only one. */
const aggregated = <R extends { readonly isTotal: boolean } & Parameters<typeof rowKey>[0], M>(
  rows: ReadonlyArray<R>,
  metricsOf: (row: R) => M
): Effect.Effect<Aggregated<M>> => {
  const [totals, ...others] = rows
  if (totals === undefined || !totals.isTotal) return Effect.die("a report without totals")
  return Effect.succeed({
    rows: others.map((row) => ({ key: rowKey(row), metrics: metricsOf(row) })),
    totals: metricsOf(totals)
  })
}

const dialogueMetrics = ({
  closed,
  count,
  messages,
  tfr,
  ttc
}: typeof DialogueRow.Type): DialogueMetrics => ({
  count,
  closed,
  open: count - closed,
  messages,
  tfr: { avg: tfr[0], p50: tfr[1], p90: tfr[2] },
  ttc: { avg: ttc[0], p50: ttc[1], p90: ttc[2] }
})

const rateOf = (met: number, breached: number): number | null =>
  met + breached === 0 ? null : Number((met / (met + breached)).toFixed(6))
const judgedOf = ([met, breached, running]: typeof Judged.Type) => ({
  met,
  breached,
  running,
  metRate: rateOf(met, breached)
})
const slaTotals = ({ tfr, ttc }: typeof SlaRow.Type): SlaTotals => ({
  tfr: judgedOf(tfr),
  ttc: judgedOf(ttc)
})

export const layer: Layer.Layer<StatisticsStore, never, SqlClient.SqlClient> = Layer.effect(
  StatisticsStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const read = (
      statement: Statement.Statement<unknown>
    ): Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError> =>
      sql.withTransaction(
        Effect.andThen(sql`select set_config('work_mem', ${WORK_MEM}, true)`, statement.unprepared)
      )
    const conditions = (session: AuthorizedSession, request: ReportRequest) => {
      const list = dialogueList(sql, session, request.range)
      return { list, where: sql.and([list.where, ...filterConditions(sql, list, request.filters)]) }
    }

    return StatisticsStore.of({
      dialogues: query("StatisticsStore.dialogues", (session, request, { ofOperators, rowsMax }) =>
        Effect.gen(function* () {
          const { list, where } = conditions(session, request)
          const { groups, order, shown } = keyOf(sql, request)
          const messages = sql.literal(ofOperators ? "a.own_messages" : "a.messages")
          const some = sql.literal(ofOperators ? "and a.operator_id is not null" : "")
          const rows = yield* read(sql`with ${list.common ?? sql.literal("")}, counted as (
              select a.subject_id, a.operator_id, a.channel, a.status = 'closed' as closed, a.tfr_ms, a.ttc_ms, ${messages} as messages
                ${bucketOf(sql, request)}
              from ${list.from} where ${where} ${some})
            select ${shown}, count(*)::int4 as count, (count(*) filter (where c.closed))::int4 as closed,
              coalesce(sum(c.messages), 0)::float8 as messages, ${sql.literal(duration("tfr_ms"))} as tfr,
              ${sql.literal(duration("ttc_ms"))} as ttc
            from counted c group by ${groups} ${order} limit ${rowsMax + 2}`)
          return yield* aggregated(yield* dialogueRowsOf(rows), dialogueMetrics)
        })
      ),

      sla: query("StatisticsStore.sla", (session, request, { judging, rowsMax }) =>
        Effect.gen(function* () {
          const { list, where } = conditions(session, request)
          const { groups, order, shown } = keyOf(sql, request)
          const rows = yield* read(sql`with ${list.common ?? sql.literal("")}, ${judgedTables(sql, judging)},
            counted as (
              select a.subject_id, a.operator_id, a.channel, ${judgedColumns(sql, judging.now)}
                ${bucketOf(sql, request)}
              from ${list.from}, target t left join hours h on h.calendar_id = t.calendar_id
              where a.subject_id = t.subject_id and ${where})
            select ${shown},
              json_build_array(count(*) filter (where c.tfr_ended and not c.tfr_over),
                count(*) filter (where c.tfr_over),
                count(*) filter (where not c.tfr_ended and not c.tfr_over and c.status <> 'closed')) as tfr,
              json_build_array(count(*) filter (where c.ttc_ended and not c.ttc_over),
                count(*) filter (where c.ttc_over),
                count(*) filter (where not c.ttc_ended and not c.ttc_over)) as ttc
            from counted c group by ${groups} ${order} limit ${rowsMax + 2}`)
          return yield* aggregated(yield* slaRowsOf(rows), slaTotals)
        })
      ),

      rows: query("StatisticsStore.rows", (session, range, request) =>
        listRows(sql, dialogueList(sql, session, range), request)
      )
    })
  })
)
