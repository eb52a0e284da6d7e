// Reports of many dialogues, which are counted in slices with percentiles bounded by a sample, compared with a sort of all
// dialogues (docs/statistics.md).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Rest, RestFixtures } from "../../testing/RestFixtures.ts"

const DIALOGUES = 110_000

const duration = (measure: string): string => `json_build_object(
  'avg', round((avg(${measure}_ms) / 1000)::numeric, 6)::float8,
  'p50', round((percentile_cont(0.5) within group (order by ${measure}_ms) / 1000)::numeric, 6)::float8,
  'p90', round((percentile_cont(0.9) within group (order by ${measure}_ms) / 1000)::numeric, 6)::float8)`
const metrics = `json_build_object('count', count(*), 'closed', count(closed_at), 'open', count(*) - count(closed_at),
  'messages', sum(messages), 'tfr', ${duration("tfr")}, 'ttc', ${duration("ttc")}, 'outgoing', 0, 'reopenings', 0)`
const month = `to_char(date_trunc('month', created_at), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
/** Queries of reports with the members of the key in SQL: grouped by each member, and by time. */
const grouped = [
  ["groupBy=operator", { operatorId: "operator_id" }],
  ["groupBy=subject", { subjectId: "subject_id" }],
  ["groupBy=channel", { channel: "channel" }],
  ["interval=month", { bucket: month }],
  ["groupBy=subject&interval=month", { subjectId: "subject_id", bucket: month }]
] as const

layer(RestFixtures, { timeout: "120 seconds" })("the statistics of many dialogues", (it) => {
  it.effect(
    "the statistics of many dialogues equal those of sorting all of them",
    () =>
      Effect.gen(function* () {
        const rest = yield* Rest
        const sql = yield* SqlClient.SqlClient
        const instance = yield* rest.instance
        const admin = yield* rest.user(instance, ["administrator"])
        const supervisor = yield* rest.user(instance, ["supervisor"])
        // Without chats, which would take a minute to insert.
        yield* sql`alter table dialogues drop constraint dialogues_instance_id_appeal_id_fkey`
        // The response takes ever longer; the close jumps at the middle, so that a sample is likely to miss its median.
        yield* sql`insert into dialogues (instance_id, appeal_id, created_at, closed_at, first_operator_at, subject_id,
            operator_id, messages, own_messages, status, status_group, channel, operator_ids, kind, priority, is_outgoing)
          select ${instance}, n, at, case when n % 20 > 0 then at + (case when n < ${DIALOGUES / 2} then n % 60000
              else 7200000 + n % 90000 end) * interval '1 millisecond' end,
            case when n % 9 > 0 then at + n * interval '1 millisecond' end, nullif(n % 5, 0), nullif(n % 11, 0), 1 + n % 7, 0,
            case when n % 20 > 0 then 'closed' else 'active' end, case when n % 20 > 0 then 'done' else 'open' end,
            (array['web', '=cmd', 'telegram', 'Вайбер', null])[1 + n % 5], '{}', 'chat', 'normal', false
          from (select n, timestamptz '2026-01-01' + n * interval '4 minutes' as at
            from generate_series(1, ${DIALOGUES}::int4) n) made`
        yield* sql`vacuum analyze dialogues`
        const [wanted] = yield* sql<{ readonly totals: unknown }>`select ${sql.literal(metrics)} as totals
          from dialogues where instance_id = ${instance}`
        const path = "/statistics/dialogues?from=2026-01-01&to=2026-12-31"
        const report = yield* rest.call(admin, "GET", path)
        assert.deepStrictEqual(report.body.totals, wanted?.totals)
        for (const [more, key] of grouped) {
          const report = yield* rest.call(admin, "GET", `${path}&${more}`)
          assert.strictEqual(report.status, 200, report.text)
          assert.deepStrictEqual(report.body.totals, wanted?.totals, more)
          const members = Object.entries(key)
          const rows = yield* sql<{
            readonly row: unknown
          }>`select json_build_object('key', json_build_object(
              ${sql.literal(members.map(([name, column]) => `'${name}', ${column}`).join(", "))}),
            'metrics', ${sql.literal(metrics)}) as row from dialogues where instance_id = ${instance}
            group by ${sql.literal(members.map(([, column]) => column).join(", "))}`
          assert.sameDeepMembers(
            report.body.rows.filter(({ metrics }: { metrics: { count: number } }) => metrics.count > 0),
            rows.map(({ row }) => row),
            more
          )
        }
        const unseen = yield* rest.call(supervisor, "GET", path)
        assert.strictEqual(unseen.body.totals.count, 0)
        assert.isNull(unseen.body.totals.ttc.p90)
      }),
    60_000
  )
})
