// Totals of so many dialogues that they come from between bounds of a sample, against a sort of all of them (docs/statistics.md).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Rest, RestFixtures } from "../../testing/RestFixtures.ts"

const DIALOGUES = 110_000

layer(RestFixtures, { timeout: "120 seconds" })("the statistics of many dialogues", (it) => {
  it.effect(
    "have the totals that sorting all of them gives, where values follow the time too",
    () =>
      Effect.gen(function* () {
        const rest = yield* Rest
        const sql = yield* SqlClient.SqlClient
        const instance = yield* rest.instance
        const admin = yield* rest.user(instance, ["administrator"])
        const supervisor = yield* rest.user(instance, ["supervisor"])
        // Rows of chats that there are not: those would take a minute.
        yield* sql`alter table dialogues drop constraint dialogues_instance_id_appeal_id_fkey`
        // The response takes ever longer; the close jumps at the middle, so that a sample is likely to miss its median.
        yield* sql`insert into dialogues (instance_id, appeal_id, created_at, closed_at, first_operator_at, subject_id,
            operator_id, messages, own_messages, status, status_group, channel, operator_ids)
          select ${instance}, n, at, case when n % 20 > 0 then at + (case when n < ${DIALOGUES / 2} then n % 60000
              else 7200000 + n % 90000 end) * interval '1 millisecond' end,
            case when n % 9 > 0 then at + n * interval '1 millisecond' end, null, null, 1 + n % 7, 0,
            case when n % 20 > 0 then 'closed' else 'active' end, case when n % 20 > 0 then 'done' else 'open' end,
            'web', '{}'
          from (select n, timestamptz '2026-01-01' + n * interval '4 minutes' as at
            from generate_series(1, ${DIALOGUES}::int4) n) made`
        yield* sql`vacuum analyze dialogues`
        const [wanted] = yield* sql<{ readonly totals: unknown }>`select json_build_object('count', count(*),
            'closed', count(closed_at), 'open', count(*) - count(closed_at), 'messages', sum(messages),
            'tfr', json_build_object('avg', round((avg(tfr_ms) / 1000)::numeric, 6)::float8,
              'p50', round((percentile_cont(0.5) within group (order by tfr_ms) / 1000)::numeric, 6)::float8,
              'p90', round((percentile_cont(0.9) within group (order by tfr_ms) / 1000)::numeric, 6)::float8),
            'ttc', json_build_object('avg', round((avg(ttc_ms) / 1000)::numeric, 6)::float8,
              'p50', round((percentile_cont(0.5) within group (order by ttc_ms) / 1000)::numeric, 6)::float8,
              'p90', round((percentile_cont(0.9) within group (order by ttc_ms) / 1000)::numeric, 6)::float8)) as totals
          from dialogues where instance_id = ${instance}`
        const path = "/statistics/dialogues?from=2026-01-01&to=2026-12-31"
        for (const more of ["", "&interval=month", "&groupBy=channel"]) {
          const report = yield* rest.call(admin, "GET", `${path}${more}`)
          assert.strictEqual(report.status, 200, report.text)
          assert.deepStrictEqual(report.body.totals, wanted?.totals, more)
        }
        const unseen = yield* rest.call(supervisor, "GET", path)
        assert.strictEqual(unseen.body.totals.count, 0)
        assert.isNull(unseen.body.totals.ttc.p90)
      }),
    60_000
  )
})
