// How long each operation on a model of custom data takes, on a scratch database or one that is kept: `pnpm bench custom-data`.
// Prints the median and the 95th percentile of RUNS answers of this process, its HTTP layer included, and the processor time of
// the database and of this process for one, which say most on a busy machine.
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as os from "node:os"
import { commandLayer } from "../postgres/connection/Database.ts"
import { EmbeddedPostgres } from "../postgres/connection/EmbeddedPostgres.ts"
import { allValuesText } from "../postgres/records/ValueIndex.ts"
import { keptLayer } from "./KeptCluster.ts"
import { processorTime } from "./ProcessorTime.ts"
import { type Answer, Rest, restLayer, type Who } from "./RestFixtures.ts"
import { type Operation, operations } from "./CustomDataOperations.ts"

const RECORDS = Number(process.argv[2] ?? 100_000)
const KEPT = process.argv[3] ?? ""
const ONLY = process.argv[4] ?? ""
const RUNS = 60
/** Answers of an operation before the ones that count: plans and pages of the database are warm then. */
const WARM = 3
/** Reads of one record before the first operation: a server that just started runs its own code slowly. */
const WARM_READS = 400
/** Searches before that, and how long apart: meanwhile the server reads the columns of the model. */
const WARM_SEARCHES = 20
const SEARCHES_APART = "1 second"

const fields = [
  { name: "key", type: "STRING", required: true, unique: true },
  { name: "name", type: "STRING" },
  { name: "text", type: "TEXT" },
  { name: "note", type: "TEXT" },
  { name: "whole", type: "INTEGER" },
  { name: "part", type: "FLOAT" },
  { name: "flag", type: "BOOLEAN" },
  { name: "late", type: "BOOLEAN" },
  { name: "rank", type: "INTEGER" },
  { name: "day", type: "DATE" },
  { name: "moment", type: "DATETIME" },
  { name: "client", type: "ASSOCIATION", target: "client" }
]

const stored = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      instance: Schema.Int,
      fields: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String }))
    })
  )
)
const indexRows = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ name: Schema.String, definition: Schema.String }))
)
const storedModel = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return stored(
    yield* sql`select id::float8 as id, instance_id::float8 as instance, fields from custom_models limit 1`
  )[0]
})

/**
 * Texts in three languages; of 100,000 records 89 hold "рідкісний", 5,000 "нечасто", 20,000 "інколи", four of five "замовлення";
 * one of twenty has a note of some thousand characters. `late` and `rank` go with the order of making.
 */
const valuesOf = (n: string, field: (name: string) => number): string => {
  const word = (seed: string) =>
    `(array['рахунок','доставка','їжак','ґанок','возврат','звонок','ёлка','подъезд','invoice','parcel','refund','delay'])[1 + abs(hashint8(${n} * 31 + ${seed})) % 12]`
  const text = `concat_ws(' ', ${["1", "2", "3", "4", "5"].map(word).join(", ")}, 'num' || abs(hashint8(${n} * 7)) % 50000,
    case when ${n} % 1123 = 7 then 'рідкісний' end, case when ${n} % 20 = 3 then 'нечасто' end,
    case when ${n} % 5 = 2 then 'інколи' end, case when ${n} % 5 <> 1 then 'Замовлення' end, ${["6", "7", "8"].map(word).join(", ")})`
  const values = {
    key: `'K-' || ${n}`,
    name: `${word("11")} || ' ' || ${word("12")} || ' ' || ${n} % 9973`,
    text,
    note: `case when ${n} % 20 = 0 then repeat(${text} || ' ', (10 + ${n} % 30)::int) end`,
    whole: `abs(hashint8(${n})) % 1000`,
    part: `abs(hashint8(${n} + 5)) % 1000000 / 8.0`,
    flag: `abs(hashint8(${n} + 9)) % 2 = 0`,
    late: `${n} > ${RECORDS / 2}`,
    rank: n,
    day: `(date '2020-01-01' + (abs(hashint8(${n} + 3)) % 2000)::int)::text`,
    moment: `to_char(timestamptz '2026-01-01' + ${n} * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.000"Z"')`,
    client: `(select min(id) from clients)`
  }
  const pairs = Object.entries(values).map(([name, value]) => `'${field(name)}', ${value}`)
  return `jsonb_strip_nulls(jsonb_build_object(${pairs.join(", ")}))`
}

const fill = Effect.gen(function* () {
  const rest = yield* Rest
  const sql = yield* SqlClient.SqlClient
  const instance = yield* rest.instance
  const admin = yield* rest.user(instance, ["administrator"])
  yield* sql`insert into clients (instance_id, name) values (${instance}, 'c')`
  const made = yield* rest.call(admin, "POST", "/custom-data/models", { name: "things", fields })
  if (made.status !== 201) yield* Console.log(made.text)
  const model = yield* storedModel
  const idOf = (name: string) => model?.fields.find((field) => field.name === name)?.id ?? 0
  const patient = Layer.unwrap(Effect.map(EmbeddedPostgres, commandLayer))
  yield* Effect.provide(fillRecords(instance, model?.id ?? 0, valuesOf("n", idOf)), patient)
})

/** By a client whose statements may take longer; the indexes are built afterwards. */
const fillRecords = Effect.fnUntraced(function* (instance: number, model: number, values: string) {
  const sql = yield* SqlClient.SqlClient
  const indexes = indexRows(
    yield* sql`select indexname as name, indexdef as definition from pg_indexes
      where tablename = 'custom_values' and indexname <> 'custom_values_pkey'`
  )
  for (const { name } of indexes) yield* sql`drop index ${sql(name)}`
  yield* sql`insert into custom_records (instance_id, model_id, values, created_at, updated_at)
    select ${instance}, ${model}, ${sql.literal(values)}, made, made from (select n, timestamptz '2026-01-01'
      + n * interval '1 minute' as made from generate_series(1, ${RECORDS}::int8) n) numbered`
  yield* sql`analyze custom_records`
  yield* sql.withTransaction(
    Effect.gen(function* () {
      // The values are planned as an empty table, which they are not for long.
      yield* sql`set local enable_nestloop = off`
      yield* sql`${sql.literal(allValuesText)}`
    })
  )
  for (const { definition } of indexes) yield* sql`${sql.literal(definition)}`
  yield* sql`vacuum (analyze) custom_records`
  yield* sql`vacuum (analyze) custom_values`
})

const cell = (value: number, width: number, digits = 0): string =>
  (Number.isFinite(value) ? value.toFixed(digits) : "-").padStart(width)

const measure = Effect.gen(function* () {
  const rest = yield* Rest
  if ((yield* storedModel) === undefined) yield* fill
  const model = yield* storedModel
  const admin = yield* rest.user(model?.instance ?? 0, ["administrator"])
  const now = yield* processorTime
  yield* Console.log(
    `${RECORDS} records of ${fields.length} fields; ${os.availableParallelism()} processors; milliseconds of ${RUNS} answers, and processor time of the database and of this process, which asks as well, for one`
  )
  yield* Console.log(`   p50   p95   cpu   own   total  load  operation`)
  const [simplest] = operations(RECORDS)
  if (simplest !== undefined) {
    const asked = yield* prepared(admin, simplest)
    const at = "/custom-data/things/records?filter[flag]=true"
    for (let run = 0; run < WARM_SEARCHES; run++)
      yield* Effect.andThen(rest.call(admin, "GET", at), Effect.sleep(SEARCHES_APART))
    for (let run = 0; run < WARM_READS; run++) yield* asked(run)
  }
  for (const operation of operations(RECORDS)) {
    if (!operation.name.includes(ONLY)) continue
    const times: Array<number> = []
    let [cpu, own] = [0, 0]
    let total = Number.NaN
    const asked = yield* prepared(admin, operation)
    for (let run = -WARM; run < RUNS; run++) {
      // Asking for processor time takes milliseconds of its own: before and after what is timed.
      const before = now() ?? Number.NaN
      const ownBefore = process.cpuUsage()
      const started = performance.now()
      const answer = yield* asked(run)
      const took = performance.now() - started
      const { system, user } = process.cpuUsage(ownBefore)
      if (run < 0) continue
      times.push(took)
      cpu += (now() ?? Number.NaN) - before
      own += (system + user) / 1_000
      if (answer.status >= 300) yield* Console.log(answer.text)
      total = answer.body?.total ?? Number.NaN
    }
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(RUNS - 1, Math.floor(RUNS * share))] ?? 0
    yield* Console.log(
      `${cell(at(0.5), 6, 1)}${cell(at(0.95), 6, 1)}${cell(cpu / RUNS, 6, 1)}${cell(own / RUNS, 6, 1)}${cell(total, 8)}${cell(os.loadavg()[0] ?? 0, 6, 1)}  ${operation.name}`
    )
  }
})

/** What is asked each time; a page further on begins at the cursor of the one before it. */
const prepared = Effect.fnUntraced(function* (who: Who, operation: Operation) {
  const rest = yield* Rest
  const call = (run: number, cursor?: string): Effect.Effect<Answer> => {
    const { body, method, path } = operation.ask(run)
    const at = `/custom-data/things/records${path}`
    if (cursor === undefined) return rest.call(who, method, at, body)
    return method === "GET"
      ? rest.call(who, method, `${at}${at.includes("?") ? "&" : "?"}cursor=${cursor}`)
      : rest.call(who, method, at, { ...body, cursor })
  }
  if (operation.first !== undefined) {
    const { body, method, path } = operation.first
    const page = yield* rest.call(who, method, `/custom-data/things/records${path}`, body)
    return (run: number) => call(run, page.body.nextCursor)
  }
  return (run: number) => call(run)
})

NodeRuntime.runMain(Effect.provide(measure, Layer.provideMerge(restLayer, keptLayer(KEPT))))
