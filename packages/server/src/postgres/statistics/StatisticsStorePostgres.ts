// Statistics in PostgreSQL: one statement computes rows and totals from the dialogues of a range, so that they agree (contract §9.3,
// docs/statistics.md).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { STATISTICS_ROWS_MAX } from "@rapport/contract/Limits.ts"
import {
  CSAT_ACTION,
  CSAT_SATISFIED_MIN,
  CSAT_SCORE_MAX,
  csatAnswers
} from "@rapport/contract/statistics/Csat.ts"
import type { CsatMetrics, DialogueMetrics, SlaTotals } from "@rapport/contract/statistics/Report.ts"
import type { ReportRequest } from "@rapport/core/statistics/ReportRequest.ts"
import {
  type GroupedMetrics,
  type TargetRules,
  StatisticsStore
} from "@rapport/core/statistics/StatisticsStore.ts"
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { filterConditions, listRows } from "../sql/ListQuery.ts"
import { query, storeLayer } from "../sql/Query.ts"
import { countingCaller } from "./CountingCaller.ts"
import { countedBy, dialogueList } from "./DialogueColumns.ts"
import { Duration, durationOf } from "./Durations.ts"
import { bucketOf, keyOrder, KeyRow, reportKey, rowKey, totalsKey } from "./ReportKeys.ts"
import { verdictColumns, verdictCounts, slaTables } from "./SlaVerdicts.ts"

type Sql = SqlClient.SqlClient

/** Decoding yields to other work after so many rows. */
const DECODED_ROWS = 500

const DialogueRow = Schema.Struct({
  ...KeyRow,
  count: Schema.Int,
  closed: Schema.Int,
  outgoing: Schema.Int,
  reopenings: Schema.Int,
  messages: Schema.Int,
  tfr: Duration,
  ttc: Duration
})
type DialogueRow = typeof DialogueRow.Type
const VerdictCounts = Schema.Tuple([Schema.Int, Schema.Int, Schema.Int])
const SlaRow = Schema.Struct({ ...KeyRow, tfr: VerdictCounts, ttc: VerdictCounts })
type SlaRow = typeof SlaRow.Type
const scoreValues = Array.from({ length: CSAT_SCORE_MAX }, (_, i) => i + 1)
const CsatRow = Schema.Struct({
  ...KeyRow,
  scores: Schema.Tuple([Schema.Int, Schema.Int, Schema.Int, Schema.Int, Schema.Int])
})
type CsatRow = typeof CsatRow.Type

type Decode<A> = (
  rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>
const decoderOf = <A, I>(row: Schema.Codec<A, I>): Decode<A> => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return Effect.fnUntraced(function* (statement) {
    const rows = yield* statement
    const slices = yield* Effect.forEach(
      Array.from({ length: Math.ceil(rows.length / DECODED_ROWS) }, (_, i) => i * DECODED_ROWS),
      (start) =>
        Effect.andThen(Effect.yieldNow, decode(rows.slice(start, start + DECODED_ROWS))).pipe(Effect.orDie)
    )
    return slices.flat()
  })
}
const dialogueRowsOf = decoderOf(DialogueRow)
const slaRowsOf = decoderOf(SlaRow)
const csatRowsOf = decoderOf(CsatRow)

type KeyedRow = Parameters<typeof rowKey>[0]
const withKey =
  <R extends KeyedRow, M>(metricsOf: (row: R) => M) =>
  (row: R) => ({ key: rowKey(row), metrics: metricsOf(row) })

/** The totals are the first row. */
const withTotals = <R extends KeyedRow, M, E>(
  read: Effect.Effect<ReadonlyArray<R>, E>,
  metricsOf: (row: R) => M
): Effect.Effect<GroupedMetrics<M>, E> =>
  Effect.flatMap(read, ([totals, ...rows]) =>
    totals === undefined || !totals.isTotal
      ? Effect.die("a report without totals")
      : Effect.succeed({ rows: rows.map(withKey(metricsOf)), totals: metricsOf(totals) })
  )

const dialogueMetrics = ({
  closed,
  count,
  messages,
  outgoing,
  reopenings,
  tfr,
  ttc
}: DialogueRow): DialogueMetrics => ({
  count,
  closed,
  open: count - closed,
  messages,
  tfr: { avg: tfr[0], p50: tfr[1], p90: tfr[2] },
  ttc: { avg: ttc[0], p50: ttc[1], p90: ttc[2] },
  outgoing,
  reopenings
})

const rateOf = (met: number, breached: number): number | null =>
  met + breached === 0 ? null : Number((met / (met + breached)).toFixed(6))
const verdictsOf = ([met, breached, running]: typeof VerdictCounts.Type) => ({
  met,
  breached,
  running,
  metRate: rateOf(met, breached)
})
const slaTotals = ({ tfr, ttc }: Pick<SlaRow, "tfr" | "ttc">): SlaTotals => ({
  tfr: verdictsOf(tfr),
  ttc: verdictsOf(ttc)
})
const none: typeof VerdictCounts.Type = [0, 0, 0]
const addCounts = (a: typeof VerdictCounts.Type, b: typeof VerdictCounts.Type): typeof VerdictCounts.Type => [
  a[0] + b[0],
  a[1] + b[1],
  a[2] + b[2]
]

const metricColumns = `count(*)::int4 as count, (count(*) filter (where counted.closed))::int4 as closed,
  (count(*) filter (where counted.is_outgoing))::int4 as outgoing,
  coalesce(sum(counted.reopenings), 0)::int4 as reopenings,
  coalesce(sum(counted.messages), 0)::float8 as messages, ${durationOf("tfr")} as tfr, ${durationOf("ttc")} as ttc`

/** The metrics of each key of `counted`, and their totals. */
const report = (sql: Sql, request: ReportRequest, columns: string) => {
  const { groups, shown } = reportKey(sql, request)
  const metrics = sql.literal(columns)
  const totals = sql`select ${sql.literal(totalsKey)}, ${metrics} from counted`
  return groups === null
    ? totals
    : sql`select * from (select ${shown}, ${metrics} from counted group by ${groups} union all ${totals}) report
        order by ${sql.literal(keyOrder)} limit ${STATISTICS_ROWS_MAX + 2}`
}

type Store = StatisticsStore["Service"]

export const layer = storeLayer(StatisticsStore)((sql) => ({
  dialogues: dialoguesOf(sql),
  sla: slaOf(sql),
  csat: csatOf(sql),
  rows: query("StatisticsStore.rows", (session, counted, request, rules) => {
    const list = dialogueList(sql, session, counted, rules)
    if (rules === null) return listRows(sql, list, request)
    // Planned for its values. Otherwise each dialogue would be compared with each target.
    const compared = Effect.flatMap(countingCaller(sql, session), (caller) =>
      listRows(sql, { ...list, common: sql`${caller}, ${slaTables(sql, rules)}` }, request)
    )
    return sql.withTransaction(compared)
  })
}))

/** The dialogues that a report counts. */
const countedFrom = (
  sql: Sql,
  session: AuthorizedSession,
  request: ReportRequest,
  rules: TargetRules | null,
  caller: Statement.Fragment
) => {
  const list = dialogueList(sql, session, request, rules)
  return {
    common: rules === null ? caller : sql`${caller}, ${slaTables(sql, rules)}`,
    from: list.from,
    where: sql.and([list.where, ...filterConditions(sql, list, request.filters)])
  }
}

const dialoguesOf = (sql: Sql): Store["dialogues"] =>
  query("StatisticsStore.dialogues", (session, request, { rules, ofOperators }) => {
    const read = Effect.gen(function* () {
      const caller = yield* countingCaller(sql, session)
      const { common, from, where } = countedFrom(sql, session, request, rules, caller)
      const messages = sql.literal(ofOperators ? "a.own_messages" : "a.messages")
      const some = sql.literal(ofOperators ? "and a.operator_id is not null" : "")
      return yield* dialogueRowsOf(
        sql`with ${common}, counted as not materialized (
          select a.subject_id, a.operator_id, a.channel, a.priority, a.status_group = 'done' as closed,
            a.is_outgoing, a.reopenings, a.tfr_ms, a.ttc_ms, ${messages} as messages ${bucketOf(sql, request)}
          from ${from} where ${where} ${some})
        ${report(sql, request, metricColumns)}`.unprepared
      )
    })
    return withTotals(sql.withTransaction(read), dialogueMetrics)
  })

const slaOf = (sql: Sql): Store["sla"] =>
  query("StatisticsStore.sla", (session, request, rules) => {
    const read = Effect.gen(function* () {
      const caller = yield* countingCaller(sql, session)
      const { common, from, where } = countedFrom(sql, session, request, rules, caller)
      const { groups, shown } = reportKey(sql, request)
      return yield* slaRowsOf(
        sql`with ${common}, counted as (
          select a.subject_id, a.operator_id, a.channel, a.priority, ${verdictColumns(sql, rules.now)}
            ${bucketOf(sql, request)}
          from ${from} where target.subject_id is not null and ${where} offset 0)
        select * from (
          select ${shown}, ${sql.literal(`${verdictCounts("tfr")} as tfr, ${verdictCounts("ttc")} as ttc`)}
          from counted group by ${groups ?? sql.literal("()")}) report order by ${sql.literal(keyOrder)}
        limit ${STATISTICS_ROWS_MAX + 2}`.unprepared
      )
    })
    // Each dialogue is in one row, so the totals are the sums of the rows.
    return Effect.map(sql.withTransaction(read), (rows): GroupedMetrics<SlaTotals> => ({
      rows: rows.map(withKey((row: SlaRow) => slaTotals(row))),
      totals: slaTotals({
        tfr: rows.reduce((sum, { tfr }) => addCounts(sum, tfr), none),
        ttc: rows.reduce((sum, { ttc }) => addCounts(sum, ttc), none)
      })
    }))
  })

const roundShare = (value: number): number => Number(value.toFixed(6))

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

const csatMetrics = ({ scores }: Pick<CsatRow, "scores">): CsatMetrics => {
  const answers = sum(scores)
  const satisfied = sum(scores.slice(CSAT_SATISFIED_MIN - 1))
  const [one, two, three, four, five] = scores
  return {
    answers,
    average: answers === 0 ? null : roundShare(sum(scores.map((count, i) => count * (i + 1))) / answers),
    satisfied,
    csat: answers === 0 ? null : roundShare(satisfied / answers),
    scores: { "1": one, "2": two, "3": three, "4": four, "5": five }
  }
}

/** The names of the columns of dialogues, for the same keys and conditions of visibility. */
const answerColumns = {
  subjectId: { sql: "a.subject_id" },
  operatorId: { sql: "a.operator_id" },
  appealId: { sql: "a.appeal_id" },
  channel: { sql: "a.channel" },
  kind: { sql: "a.kind" },
  priority: { sql: "a.priority" },
  score: { sql: "a.score" }
}

const csatOf = (sql: Sql): Store["csat"] =>
  query("StatisticsStore.csat", (session, request) => {
    const { from, to } = request.range
    const score = `case when json_typeof(action.payload->'score') = 'number' then (action.payload->>'score')::float8 end`
    const answers = sql`(select action.instance_id, coalesce(action.subject_id, dialogue.subject_id) as subject_id,
        dialogue.operator_id, dialogue.operator_ids, dialogue.author_id, dialogue.status_group, dialogue.appeal_id,
        dialogue.kind, dialogue.priority,
        coalesce(action.channel, dialogue.channel) as channel, ${sql.literal(score)} as score,
        (extract(epoch from action.occurred_at) * 1000)::float8 as created_ms
      from client_actions action left join dialogues dialogue
        on dialogue.instance_id = action.instance_id and dialogue.appeal_id = action.appeal_id
      where action.instance_id = ${session.instanceId} and action.type = ${sql.literal(`'${CSAT_ACTION}'`)}
        and action.occurred_at >= ${isoOf(from)}::timestamptz and action.occurred_at < ${isoOf(to)}::timestamptz) a`
    const list = {
      collection: csatAnswers,
      common: null,
      from: sql`${answers}, caller u`,
      where: sql`a.score in (${sql.literal(scoreValues.join(", "))}) and ${countedBy(sql)}`,
      columns: answerColumns
    }
    const read = Effect.gen(function* () {
      const caller = yield* countingCaller(sql, session)
      const scores = scoreValues.map((value) => `count(*) filter (where counted.score = ${value})`)
      const where = sql.and([list.where, ...filterConditions(sql, list, request.filters)])
      return yield* csatRowsOf(
        sql`with ${caller}, counted as materialized (select a.subject_id, a.operator_id, a.channel, a.priority, a.score
          ${bucketOf(sql, request)} from ${list.from} where ${where})
        ${report(sql, request, `json_build_array(${scores.join(", ")}) as scores`)}`.unprepared
      )
    })
    return withTotals(sql.withTransaction(read), (row: CsatRow) => csatMetrics(row))
  })
