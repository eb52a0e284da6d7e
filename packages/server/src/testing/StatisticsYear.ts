// How long a year of a million dialogues takes, on a scratch database or one that is kept: `pnpm bench statistics`. Prints, for
// each report, the fastest, the median and the slowest of RUNS answers in this process, its HTTP layer included, and the
// processor time of the database, which says most on a busy machine: also as a multiple of that of reading the year once.
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as os from "node:os"
import { keptLayer } from "./KeptCluster.ts"
import { processorTime } from "./ProcessorTime.ts"
import { Rest, restLayer, type Who } from "./RestFixtures.ts"

const CHATS = Number(process.argv[2] ?? 1_000_000)
const KEPT = process.argv[3] ?? ""
const ONLY = process.argv[4] ?? ""
const RUNS = 5
/** Written by one statement, within the time that statements have. */
const CHATS_AT_ONCE = 50_000
const range = "from=2025-11-01&to=2026-11-01"
const year = `${range}&timezone=Europe/Kyiv`
const groupings = ["subject", "operator", "channel"]
/** Every report in every grouping and interval that answers a year, filters that no index serves, and the rows behind them. */
const reports = [
  ...["none", "hour", "day", "week", "month"].map((interval) => `dialogues?${year}&interval=${interval}`),
  ...groupings.flatMap((groupBy) =>
    ["none", "month"].map((interval) => `dialogues?${year}&groupBy=${groupBy}&interval=${interval}`)
  ),
  `dialogues?${year}&groupBy=channel&interval=day`,
  ...["none", "month"].map((interval) => `operators?${year}&interval=${interval}`),
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
/** Also as someone who sees half of it: their subjects, and what their colleagues had. */
const supervised = [
  `dialogues?${year}&interval=none`,
  `dialogues?${year}&interval=day`,
  `dialogues?${year}&groupBy=operator&interval=none`,
  `operators?${year}&interval=month`,
  `sla?${year}&interval=month`
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
  return yield* anOperator(instanceId)
})

/** A supervisor of half the subjects. */
const supervisorOf = Effect.fnUntraced(function* (instanceId: number) {
  const rest = yield* Rest
  const sql = yield* SqlClient.SqlClient
  const [group] = decodeIds(
    yield* sql`insert into skill_groups (instance_id, name) values (${instanceId}, 'half') returning id::float8 as id`
  )
  yield* sql`insert into skill_group_subjects (instance_id, skill_group_id, subject_id)
    select ${instanceId}, ${group?.id ?? 0}, id from subjects where instance_id = ${instanceId} and id % 2 = 0`
  return yield* rest.user(instanceId, ["supervisor"], [group?.id ?? 0])
})

const least = (values: ReadonlyArray<number>): number => Math.min(...values)
const cell = (value: number, width: number, digits = 0): string =>
  (Number.isFinite(value) ? value.toFixed(digits) : "-").padStart(width)

const measure = Effect.gen(function* () {
  const rest = yield* Rest
  const sql = yield* SqlClient.SqlClient
  const [kept] = decodeIds(yield* sql`select instance_id::float8 as id from dialogues limit 1`)
  const instanceId = kept?.id ?? (yield* rest.instance)
  const operator = kept === undefined ? yield* fill(instanceId) : yield* anOperator(instanceId)
  const admin = yield* rest.user(instanceId, ["administrator"])
  const supervisor = yield* supervisorOf(instanceId)
  const now = yield* processorTime
  const spent = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
    const [start, before] = [performance.now(), now()]
    const value = yield* effect
    const after = now()
    return {
      value,
      millis: performance.now() - start,
      cpu: before === undefined || after === undefined ? Number.NaN : after - before
    }
  })
  const base: Array<number> = []
  const once = sql`select count(*), sum(tfr_ms), sum(ttc_ms), sum(messages) from dialogues
    where instance_id = ${instanceId} and created_at >= '2025-11-01' and created_at < '2026-11-01'`
  for (let run = 0; run < RUNS; run++) base.push((yield* spent(once)).cpu)
  yield* Console.log(
    `${CHATS} dialogues; ${os.availableParallelism()} processors; milliseconds: fastest, median, slowest of ${RUNS}, least processor time, also as a multiple of reading the year once (${least(base)})`
  )
  yield* Console.log(`  fast   mid  slow   cpu ratio    bytes  load  report`)
  const line = Effect.fnUntraced(function* (who: Who, report: string) {
    const [times, cpus]: [Array<number>, Array<number>] = [[], []]
    let bytes = 0
    for (let run = 0; run < RUNS; run++) {
      const asked = rest.call(who, "GET", `/statistics/${report.replace("OPERATOR", String(operator))}`)
      const { cpu, millis, value } = yield* spent(asked)
      if (value.status !== 200) yield* Console.log(value.text)
      times.push(millis)
      cpus.push(cpu)
      bytes = value.text.length
    }
    const sorted = times.toSorted((a, b) => a - b)
    const places = [0, Math.floor(RUNS / 2), RUNS - 1]
    const shown = report.replace(`${year}&`, "").replace(year, "")
    yield* Console.log(
      `${places.map((place) => cell(sorted[place] ?? 0, 6)).join("")}${cell(least(cpus), 6)}${cell(least(cpus) / least(base), 6, 1)}${cell(bytes, 9)}${cell(os.loadavg()[0] ?? 0, 6, 1)}  ${who === admin ? "" : "supervisor "}${shown}`
    )
  })
  for (const report of reports) if (report.includes(ONLY)) yield* line(admin, report)
  for (const report of supervised) if (report.includes(ONLY)) yield* line(supervisor, report)
})

const anOperator = Effect.fnUntraced(function* (instanceId: number) {
  const sql = yield* SqlClient.SqlClient
  const operators = decodeIds(
    yield* sql`select id::float8 as id from users where instance_id = ${instanceId} and login = 'year8'`
  )
  return operators[0]?.id ?? 0
})

NodeRuntime.runMain(Effect.provide(measure, Layer.provideMerge(restLayer, keptLayer(KEPT))))
