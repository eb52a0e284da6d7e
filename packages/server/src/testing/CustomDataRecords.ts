// How long each operation on a model of custom data takes, on a scratch database or one that is kept: `pnpm bench custom-data`.
// Prints the median and the 95th percentile of RUNS answers of a started service, as it is sent over HTTP, one after the other, and
// the processor time of the database and of the service for one, which say most on a busy machine.
import { NodeRuntime } from "@effect/platform-node"
import { AccessTokens as Tokens } from "@rapport/core/access/AccessTokens.ts"
import { Console, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import { Agent, request } from "node:http"
import * as os from "node:os"
import * as path from "node:path"
import * as AccessTokens from "../access/AccessTokens.ts"
import { TokenKeys } from "../access/TokenKeys.ts"
import { commandLayer } from "../postgres/connection/Database.ts"
import { EmbeddedPostgres } from "../postgres/connection/EmbeddedPostgres.ts"
import { keptLayer } from "./KeptCluster.ts"
import { processorTimeIn } from "./ProcessorTime.ts"
import { temporaryFolder } from "./PostgresFixtures.ts"
import { temporaryFileStorage } from "./FileFixtures.ts"
import { Rest, restLayer } from "./RestFixtures.ts"
import { type Asked, type Operation, operations } from "./CustomDataOperations.ts"
import { startFlags, startProcess } from "./ServerFixtures.ts"
import { unlimitedEnvironment } from "./SharedDatabaseFixtures.ts"

const RECORDS = Number(process.argv[2] ?? 100_000)
const KEPT = process.argv[3] ?? ""
const ONLY = process.argv[4] ?? ""
const RUNS = 60
/** Answers of an operation before the ones that count: plans and pages of the database are warm then. */
const WARM = 3
/** Answers of each operation before the first is measured: a service that just started runs its own code slowly. */
const WARM_EACH = 10
const TOKEN_KEY = Buffer.alloc(32, 7).toString("base64url")

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

/** By a client whose statements may take longer. */
const fillRecords = Effect.fnUntraced(function* (instance: number, model: number, values: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into custom_records (instance_id, model_id, values, created_at, updated_at)
    select ${instance}, ${model}, ${sql.literal(values)}, made, made from (select n, timestamptz '2026-01-01'
      + n * interval '1 minute' as made from generate_series(1, ${RECORDS}::int8) n) numbered`
  yield* sql`vacuum (analyze) custom_records`
  yield* sql`vacuum (analyze) record_values`
})

const cell = (value: number, width: number, digits = 0): string =>
  (Number.isFinite(value) ? value.toFixed(digits) : "-").padStart(width)

/** An answer of the service, over a connection that is kept. */
interface Answered {
  readonly status: number
  readonly text: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** The records, where they are not there yet, and a token of who may do everything with them. */
const madeReady = Effect.gen(function* () {
  const rest = yield* Rest
  const sql = yield* SqlClient.SqlClient
  if ((yield* storedModel) === undefined) yield* fill
  // A service would empty a database that nobody has seeded.
  yield* sql`insert into seed_marker (kind) select 'empty' where not exists (select from seed_marker)`
  const { headers, id, instanceId } = yield* rest.user((yield* storedModel)?.instance ?? 0, ["administrator"])
  const [, , sessionId = ""] = (headers["authorization"] ?? "").split(".")
  const signing = AccessTokens.layer.pipe(Layer.provide(TokenKeys.layer(Redacted.make(TOKEN_KEY))))
  return yield* Effect.provide(
    Effect.flatMap(Tokens, (tokens) => tokens.issue({ instanceId, userId: id, sessionId })),
    signing
  )
})

/** The service as it is run, with its own PostgreSQL on the folder, asked as a caller asks it. */
const service = Effect.fnUntraced(function* (folder: string, token: string) {
  const started = yield* startProcess(
    ["serve"],
    {
      ...unlimitedEnvironment,
      PORT: "0",
      RAPPORT_DATA_DIR: folder,
      RAPPORT_SEED: "empty",
      RAPPORT_TOKEN_KEYS: TOKEN_KEY,
      LOG_LEVEL: "error"
    },
    startFlags
  )
  const { port } = new URL(yield* Effect.promise(() => started.ready()))
  const call = ({ body, method, path }: Asked): Promise<Answered> => {
    const { promise, reject, resolve } = Promise.withResolvers<Answered>()
    const text = body === undefined ? undefined : JSON.stringify(body)
    const sent = request(
      {
        agent,
        port,
        host: "127.0.0.1",
        method,
        path: `/kw/api/v1/custom-data/things/records${path}`,
        headers: {
          authorization: `Bearer ${token}`,
          ...(text === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
        }
      },
      (response) => {
        const parts: Array<Buffer> = []
        response.on("data", (part: Buffer) => parts.push(part))
        response.on("error", reject)
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8") })
        )
      }
    )
    sent.on("error", reject)
    sent.end(text)
    return promise
  }
  return { call, pid: started.pid }
})
type Service = Effect.Success<ReturnType<typeof service>>

/** Milliseconds of processor time of a process and all its threads. */
const cpuOf = (pid: number): number => {
  const text = fs.readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** What is asked each time; a page further on begins at the cursor of the one before it. */
const prepared = async ({ call }: Service, { ask, first }: Operation) => {
  if (first === undefined) return (run: number) => call(ask(run))
  const { text } = await call(first)
  const { nextCursor: cursor }: { readonly nextCursor: string } = JSON.parse(text)
  return (run: number) => {
    const { path, ...asked } = ask(run)
    return call({ ...asked, path: `${path}${path.includes("?") ? "&" : "?"}cursor=${cursor}` })
  }
}

const measured = async (served: Service, operation: Operation, databaseCpu: () => number) => {
  const asked = await prepared(served, operation)
  for (let run = -WARM; run < 0; run++) await asked(run)
  const times: Array<number> = []
  let last: Answered | undefined
  const [database, own] = [databaseCpu(), cpuOf(served.pid)]
  for (let run = 0; run < RUNS; run++) {
    const started = performance.now()
    last = await asked(run)
    times.push(performance.now() - started)
    if (last.status >= 300) throw new Error(`${operation.name}: ${last.text}`)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(RUNS - 1, Math.floor(RUNS * share))] ?? 0
  const answer: { readonly total?: number } = JSON.parse(last?.text ?? "{}")
  const cpu = [databaseCpu() - database, cpuOf(served.pid) - own].map((millis) => cell(millis / RUNS, 6, 1))
  return `${cell(at(0.5), 6, 1)}${cell(at(0.95), 6, 1)}${cpu.join("")}${cell(answer.total ?? Number.NaN, 8)}${cell(os.loadavg()[0] ?? 0, 6, 1)}  ${operation.name}`
}

/** A service that runs for a while: its code is compiled. */
const warm = async ({ call }: Service) => {
  for (const operation of operations(RECORDS)) {
    if (!operation.name.includes(ONLY)) continue
    const asked = await prepared({ call, pid: 0 }, operation)
    for (let run = 0; run < WARM_EACH; run++) await asked(run)
  }
}

const measure = Effect.gen(function* () {
  const folder = KEPT === "" ? path.join(yield* temporaryFolder, "kept") : path.resolve(KEPT)
  const token = yield* Effect.scoped(
    Effect.provide(
      madeReady,
      Layer.provideMerge(restLayer, Layer.merge(keptLayer(folder), temporaryFileStorage))
    )
  )
  const served = yield* service(folder, token)
  const databaseCpu = processorTimeIn(path.join(folder, "postgres"))
  yield* Console.log(
    `${RECORDS} records of ${fields.length} fields; ${os.availableParallelism()} processors; milliseconds of ${RUNS} answers, and processor time of the database and of the service for one`
  )
  yield* Console.log(`   p50   p95   cpu   own   total  load  operation`)
  yield* Effect.promise(() => warm(served))
  for (const operation of operations(RECORDS))
    if (operation.name.includes(ONLY))
      yield* Console.log(
        yield* Effect.promise(() => measured(served, operation, () => databaseCpu() ?? Number.NaN))
      )
})

NodeRuntime.runMain(Effect.scoped(measure))
