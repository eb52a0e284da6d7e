// How long a year of a million dialogues takes, on a scratch database: `pnpm bench statistics [--chats n]`. Prints, for each
// report, the fastest, the median and the slowest of RUNS answers in this process, its HTTP layer included, and what else the
// machine did: on a busy one the fastest says most.
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as os from "node:os"
import { Rest, RestFixtures } from "./RestFixtures.ts"

const CHATS = Number(process.argv[2] ?? 1_000_000)
const RUNS = 5
/** Written by one statement, within the time that statements have. */
const CHATS_AT_ONCE = 50_000
const year = "from=2025-11-01&to=2026-11-01&timezone=Europe/Kyiv"
const groupings = ["subject", "operator", "channel"]
/** Every report in every grouping and interval that answers a year, filters that no index serves, and the rows behind them. */
const reports = [
  ...["none", "hour", "day", "week", "month"].map((interval) => `dialogues?${year}&interval=${interval}`),
  ...groupings.flatMap((groupBy) =>
    ["none", "month"].map((interval) => `dialogues?${year}&groupBy=${groupBy}&interval=${interval}`)
  ),
  `dialogues?${year}&groupBy=channel&interval=day`,
  ...["none", "week", "month"].map((interval) => `operators?${year}&interval=${interval}`),
  ...["subject", "channel"].map((groupBy) => `operators?${year}&groupBy=${groupBy}`),
  ...["none", "week", "month"].map((interval) => `sla?${year}&interval=${interval}`),
  ...["operator", "channel"].map((groupBy) => `sla?${year}&groupBy=${groupBy}`),
  `dialogues?${year}&interval=month&filter[channel][contains]=E`,
  `dialogues?${year}&interval=month&filter[messages][gt]=2&filter[tfrSec][gt]=1&filter[operatorId][nin]=1,2,3`,
  `dialogues?${year}&filter[operatorId]=OPERATOR`,
  `dialogues/rows?${year}`,
  `dialogues/rows?${year}&order[tfrSec]=desc`,
  `dialogues/rows?${year}&order[channel]=asc&order[tfrSec]=desc&order[messages]=asc&limit=100`,
  `dialogues/rows?${year}&order[createdAt]=asc&offset=900000&limit=100`
]
const decodeIds = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Int })))

/** Chats over the year, denser towards its end; 95 in 100 answered and closed. */
const fill = Effect.fnUntraced(function* (instanceId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into subjects (instance_id, name, alias)
    select ${instanceId}, 's', 's' || n from generate_series(1, 40) n`
  const operators = decodeIds(
    yield* sql`insert into users (instance_id, login, first_name, last_name, roles, status)
      select ${instanceId}, 'year' || n, 'a', 'b', '{operator}', 'active' from generate_series(1, 200) n
      returning id::float8 as id`
  )
  const calendars = decodeIds(
    yield* sql`insert into calendars (instance_id, name, timezone, weekly, holidays)
      select ${instanceId}, 'c', 'Europe/Kyiv',
        (select json_agg(json_build_object('day', d, 'from', '09:00', 'to', '18:00')) from generate_series(1, 5) d),
        '{2026-01-01}' returning id::float8 as id`
  )
  yield* sql`insert into sla_targets (instance_id, subject_id, tfr_sec, ttc_sec, calendar_id)
    select instance_id, id, 900, 28800, ${calendars[0]?.id ?? null}::int8 from subjects where instance_id = ${instanceId}`
  yield* sql`insert into clients (instance_id, name) values (${instanceId}, 'c')`
  // Rows are written as they are, of chats that there are not: making those would take longer than all the rest.
  yield* sql`alter table dialogues drop constraint dialogues_instance_id_appeal_id_fkey`
  for (let first = 1; first <= CHATS; first += CHATS_AT_ONCE)
    yield* sql`with rows as (
      select n, timestamptz '2025-11-01' + sqrt(n::float8 / ${CHATS}::float8) * interval '365 days' as created_at,
        random() < 0.95 as closed, random() < 0.95 as answered, random() * random() as a, random() * random() as b,
        ${operators[0]?.id ?? 0}::int8 + (random() * 199)::int as operator_id,
        (select min(id) from subjects where instance_id = ${instanceId}) + (random() * 39)::int as subject_id
      from generate_series(${first}::int8, ${Math.min(CHATS, first + CHATS_AT_ONCE - 1)}::int8) n)
    insert into dialogues (instance_id, appeal_id, created_at, closed_at, first_operator_at, subject_id, operator_id,
      messages, own_messages, status, status_group, channel, operator_ids)
    select ${instanceId}, n, created_at, case when closed then created_at + a * interval '20 hours' end,
      case when answered then created_at + b * interval '1 hour' end, subject_id, operator_id, 2 + n % 11, n % 5,
      case when closed then 'closed' else 'active' end, case when closed then 'done' else 'open' end,
      (array['telegram', 'web', 'viber', 'email'])[1 + n % 4], array[operator_id] from rows`
  yield* sql`vacuum (analyze) dialogues`
  return operators[7]?.id ?? 0
})

const measure = Effect.gen(function* () {
  const rest = yield* Rest
  const instanceId = yield* rest.instance
  const admin = yield* rest.user(instanceId, ["administrator"])
  const operator = yield* fill(instanceId)
  yield* Console.log(
    `${CHATS} dialogues; ${os.availableParallelism()} processors; milliseconds: fastest, median, slowest of ${RUNS}`
  )
  yield* Console.log(`  fast   mid  slow    bytes  load  report`)
  for (const report of reports) {
    const times: Array<number> = []
    let bytes = 0
    for (let run = 0; run < RUNS; run++) {
      const start = performance.now()
      const answer = yield* rest.call(
        admin,
        "GET",
        `/statistics/${report.replace("OPERATOR", String(operator))}`
      )
      times.push(performance.now() - start)
      bytes = answer.text.length
      if (answer.status !== 200) yield* Console.log(answer.text)
    }
    const sorted = times.toSorted((a, b) => a - b)
    const [fastest = 0, slowest = 0] = [sorted[0], sorted.at(-1)]
    yield* Console.log(
      `${[fastest, sorted[Math.floor(RUNS / 2)] ?? 0, slowest].map((millis) => millis.toFixed(0).padStart(6)).join("")}${String(bytes).padStart(9)}${(os.loadavg()[0] ?? 0).toFixed(1).padStart(6)}  ${report}`
    )
  }
})

NodeRuntime.runMain(Effect.provide(measure, RestFixtures))
