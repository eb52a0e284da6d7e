// `pnpm bench custom-data`: operations on a model of custom data, one after the other. The records are made through the API.
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as path from "node:path"
import { type Operation, operations, valuesOf } from "./customData/Operations.ts"
import { count, text } from "./Flags.ts"
import { load } from "./Load.ts"
import { figureNames, figuresOf, measure } from "./Measure.ts"
import { get, type HttpRequest, login, query, write } from "./Requests.ts"
import { startService, temporaryFolder } from "./Started.ts"
import { table } from "./Table.ts"

const records = count("records", 100_000, "Records of the model")
const only = text("only", "Only operations whose name contains this text")

/** Answers that are measured, and answers before them: the plans and pages of the database are warm then. */
const RUNS = 60
const WARM_RUNS = 10
const UPSERT = 100
const SECONDS_MAX = 600

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
  { name: "time", type: "DATETIME" },
  { name: "client", type: "ASSOCIATION", target: "client" }
]

const fill = Effect.fnUntraced(function* (api: string, token: string, records: number) {
  yield* Console.error(`making ${records} records …`)
  const model = write(`${api}/models`, token, { name: "things", fields })
  let next = 1
  const upsert = () => {
    const first = next
    next += UPSERT
    const values = Array.from({ length: UPSERT }, (_, i) => ({ values: valuesOf(first + i, records) }))
    return write(`${api}/things/records/upsert`, token, { keyField: "key", records: values })
  }
  for (const plan of [
    { request: () => model, connections: 1, requestsMax: 1 },
    { request: upsert, connections: 4, requestsMax: Math.ceil(records / UPSERT) }
  ]) {
    const { failures, statuses } = yield* load({ ...plan, seconds: SECONDS_MAX })
    if (failures > 0) throw new Error(`the records cannot be made: ${JSON.stringify(statuses)}`)
  }
})

const requestOf = (api: string, token: string, { body, url }: Operation, n: number): HttpRequest => {
  const address = `${api}/things/records${encodeURI(url)}`
  if (body === undefined) return get(address, token)
  return url === "/search" ? query(address, token, body(n)) : write(address, token, body(n))
}

export const customData = Command.make(
  "custom-data",
  { records, only },
  Effect.fn(function* ({ only, records }) {
    const service = yield* startService(path.join(yield* temporaryFolder, "data"))
    const token = yield* login(service.origin)
    const api = `${service.origin}/kw/api/v1/custom-data`
    yield* fill(api, token, records)
    const rows: Array<ReadonlyArray<string>> = []
    for (const operation of operations.filter(({ name }) => name.includes(only))) {
      const request = (_: number, n: number) => requestOf(api, token, operation, n)
      const plan = { request, connections: 1, seconds: SECONDS_MAX }
      yield* load({ ...plan, requestsMax: WARM_RUNS })
      rows.push([operation.name, ...figuresOf(yield* measure(service, { ...plan, requestsMax: RUNS }))])
    }
    yield* Console.log(`${records} records of ${fields.length} fields; ${RUNS} answers of each operation`)
    yield* Console.log(table(["operation", ...figureNames], rows))
  }, Effect.scoped)
).pipe(Command.withDescription("Operations on a model of 100,000 records of custom data"))
