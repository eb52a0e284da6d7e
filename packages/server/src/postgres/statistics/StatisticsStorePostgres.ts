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
import {
  CsatMetrics,
  DialogueMetrics,
  OperatorMetrics,
  ReportKey,
  SlaTotals
} from "@rapport/contract/statistics/Report.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { ReportRequest } from "@rapport/core/statistics/ReportRequest.ts"
import { type GroupedMetrics, StatisticsStore } from "@rapport/core/statistics/StatisticsStore.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { columnName } from "../sql/Columns.ts"
import { filterConditions, listRows, type TableList } from "../sql/ListQuery.ts"
import { query, type Rows, storeLayer } from "../sql/Query.ts"
import { callerOf } from "../sql/Visibility.ts"
import { countingCaller } from "./CountingCaller.ts"
import { countedBy, dialogueList } from "./DialogueColumns.ts"
import { keyColumns, reportKey } from "./ReportKeys.ts"
import { verdictColumns, verdictCounts } from "./SlaVerdicts.ts"

/** Decoding yields to other work after so many rows. */
const DECODED_ROWS = 500

const Key = Schema.NullOr(Schema.Struct({ ...ReportKey.fields, bucket: Schema.optionalKey(Schema.Int) }))

/** Reads the rows of a report, of which the first is the totals. */
const readerOf = <A, I>(metrics: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ key: Key, metrics })))
  return Effect.fnUntraced(function* (
    statement: Rows
  ): Effect.fn.Return<GroupedMetrics<A>, SqlError.SqlError> {
    const found = yield* statement
    const slices = yield* Effect.forEach(
      Array.from({ length: Math.ceil(found.length / DECODED_ROWS) }, (_, i) => i * DECODED_ROWS),
      (start) =>
        Effect.andThen(Effect.yieldNow, decode(found.slice(start, start + DECODED_ROWS))).pipe(Effect.orDie)
    )
    const [totals, ...rows] = slices.flat()
    if (totals === undefined) return yield* Effect.die("a report without totals")
    return {
      rows: rows.flatMap(({ key, metrics }) => (key === null ? [] : [{ key, metrics }])),
      totals: totals.metrics
    }
  })
}

/** What a report counts, as the CTE `counted`. */
interface Counted {
  readonly list: Pick<TableList, "collection" | "common" | "from" | "where" | "columns">
  /** Columns in addition to those of keys. */
  readonly measures: string
  /** SQL of the JSON of the metrics. */
  readonly metrics: string
}

// Without `offset 0` PostgreSQL would compute a verdict again for each count.
const reportOf = (sql: Sql, request: ReportRequest, { list, measures, metrics }: Counted) => {
  const { grouped, shown } = reportKey(request)
  const where = sql.and([list.where, ...filterConditions(list, request.filters)])
  return sql`with ${list.common}, counted as (
      select ${keyColumns(request)}, ${sql.literal(measures)} from ${list.from} where ${where} offset 0)
    select ${shown} as key, ${sql.literal(metrics)} as metrics from counted ${grouped}
    limit ${STATISTICS_ROWS_MAX + 2}`.unprepared
}

export const layer = storeLayer(StatisticsStore)((sql) => {
  /** Reads in a transaction, with the CTE `caller` of its statements. */
  const counting = <A>(
    session: AuthorizedSession,
    read: (caller: Fragment) => Effect.Effect<A, SqlError.SqlError>
  ) => sql.withTransaction(Effect.flatMap(countingCaller(sql, session), read))
  return {
    dialogues: query("StatisticsStore.dialogues", (session, request, rules) =>
      counting(session, (caller) => {
        const list = dialogueList(session, request, rules, caller)
        return readDialogues(reportOf(sql, request, { list, ...allDialogues }))
      })
    ),
    operators: query("StatisticsStore.operators", (session, request, rules) =>
      counting(session, (caller) => {
        const list = dialogueList(session, request, rules, caller)
        const where = sql`${list.where} and a.operator_id is not null`
        return readOperators(reportOf(sql, request, { list: { ...list, where }, ...dialoguesOfOperators }))
      })
    ),
    sla: query("StatisticsStore.sla", (session, request, rules) =>
      counting(session, (caller) => {
        const list = dialogueList(session, request, rules, caller)
        const where = sql`${list.where} and target.subject_id is not null`
        const measures = verdictColumns(rules.now)
        return readSla(reportOf(sql, request, { list: { ...list, where }, measures, metrics: slaMetrics }))
      })
    ),
    csat: query("StatisticsStore.csat", (session, request) =>
      counting(session, (common) => {
        const list = { ...answersOf(session, request), common }
        return readCsat(reportOf(sql, request, { list, measures: "a.score", metrics: csatMetrics }))
      })
    ),
    rows: query("StatisticsStore.rows", (session, counted, request, rules) => {
      const page = (caller: Fragment) => listRows(sql, dialogueList(session, counted, rules, caller), request)
      // Planned for its values. Otherwise each dialogue would be compared with each target.
      return rules === null ? page(callerOf(session)) : counting(session, page)
    })
  }
})

const readDialogues = readerOf(DialogueMetrics)
const readOperators = readerOf(OperatorMetrics)
const readSla = readerOf(SlaTotals)
const readCsat = readerOf(CsatMetrics)

const secondsOf = (millis: string): string => `round((${millis} / 1000)::numeric, 6)`

/** Seconds. Sums of whole milliseconds are exact in a double. */
const durationOf = (measure: "tfr" | "ttc"): string => {
  const column = `counted.${measure}_ms`
  const percentiles = `(percentile_cont(array[0.5, 0.9]) within group (order by ${column}))`
  return `json_build_object('avg', ${secondsOf(`sum(${column}) / nullif(count(${column}), 0)`)},
    'p50', ${secondsOf(`${percentiles}[1]`)}, 'p90', ${secondsOf(`${percentiles}[2]`)})`
}

/** Of `dialogues a`. `messages` is the column that is summed, `count` the name of the number of dialogues. */
const figuresOf = (messages: string, count: string) => ({
  measures: `a.status_group = 'done' as closed, a.is_outgoing, a.reopenings, a.tfr_ms, a.ttc_ms,
    a.${messages} as messages`,
  metrics: `json_build_object('${count}', count(*), 'closed', count(*) filter (where counted.closed),
    'open', count(*) filter (where not counted.closed), 'messages', coalesce(sum(counted.messages), 0),
    'tfr', ${durationOf("tfr")}, 'ttc', ${durationOf("ttc")},
    'outgoing', count(*) filter (where counted.is_outgoing), 'reopenings', coalesce(sum(counted.reopenings), 0))`
})
const allDialogues = figuresOf("messages", "count")
const dialoguesOfOperators = figuresOf("own_messages", "dialogues")

const slaMetrics = `json_build_object('tfr', ${verdictCounts("tfr")}, 'ttc', ${verdictCounts("ttc")})`

const scores = Array.from({ length: CSAT_SCORE_MAX }, (_, i) => i + 1)
const scoreCounts = scores.map((score) => `'${score}', count(*) filter (where counted.score = ${score})`)
const isSatisfied = `counted.score >= ${CSAT_SATISFIED_MIN}`
const csatMetrics = `json_build_object('answers', count(*), 'average', round(avg(counted.score)::numeric, 6),
  'satisfied', count(*) filter (where ${isSatisfied}), 'csat', round(avg((${isSatisfied})::int), 6),
  'scores', json_build_object(${scoreCounts.join(", ")}))`

/** The columns of answers have the names of those of dialogues, for the same keys and conditions of visibility. */
const answersOf = (session: AuthorizedSession, { range: { from, to } }: ReportRequest) => {
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
  return {
    collection: csatAnswers,
    from: sql`${answers}, caller u`,
    where: sql`a.score in (${sql.literal(scores.join(", "))}) and ${countedBy}`,
    columns: answerColumns
  }
}
const answerColumns = Object.fromEntries(
  Object.keys(csatAnswers.fields).map((name) => [name, { sql: `a.${columnName(name)}` }])
)
