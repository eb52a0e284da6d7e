// `pnpm bench worst`: what the most expensive allowed request of every route holds, one after the other (docs/security.md).
import { Console, Data, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { text } from "./Flags.ts"
import { makeWorld } from "./worst/WorstData.ts"
import { type Asked, type Probed, probed } from "./worst/Probed.ts"
import { type Operation, requestsOf, type Worst } from "./worst/WorstRequests.ts"
import { entryOf, lacksEntry } from "./worst/WorstTable.ts"

/** The rule of docs/contract.md §12. */
const BLOCK_MILLIS_MAX = 50
const MEMORY_BYTES_MAX = 64 * 1024 * 1024
/** The first sending of each is warmed up by; of the others the lowest figures count, for the machine is shared. */
const SENDINGS = 3

const only = text(
  "only",
  "Measures routes whose operationId has one of these texts alone, separated by commas"
)

class Broken extends Data.TaggedError("Broken")<{ readonly message: string }> {}

const Document = Schema.Struct({
  paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)),
  components: Schema.Struct({
    parameters: Schema.Record(Schema.String, Schema.Unknown),
    schemas: Schema.Record(Schema.String, Schema.Unknown)
  })
})
const decodeDocument = Schema.decodeUnknownPromise(Document)

const member = (value: unknown, ...names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>(
    (at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined),
    value
  )

const inPlace = (value: unknown, components: Readonly<Record<string, unknown>>): unknown => {
  const reference = member(value, "$ref")
  return typeof reference === "string" ? components[reference.split("/").at(-1) ?? ""] : value
}

const operationsOf = ({ components, paths }: typeof Document.Type): ReadonlyArray<Operation> =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]): ReadonlyArray<Operation> => {
      const id = member(operation, "operationId")
      if (typeof id !== "string") return []
      const parameters = member(operation, "parameters")
      const body = member(operation, "requestBody", "content", "application/json", "schema")
      const schema = inPlace(body, components.schemas)
      const members = Object.entries(Object(member(schema, "properties") ?? {}))
      return [
        {
          id,
          path,
          method: method.toUpperCase(),
          hasBody: body !== undefined,
          arrayMember: members.find(([, value]) => member(value, "type") === "array")?.[0],
          query: (Array.isArray(parameters) ? parameters : [])
            .map((one) => inPlace(one, components.parameters))
            .filter((one) => member(one, "in") === "query")
            .map((one) => String(member(one, "name")))
        }
      ]
    })
  )

interface Row {
  readonly operation: string
  readonly request: string
  readonly status: number
  readonly millis: number
  readonly blockMillis: number
  readonly blockCpuMillis: number
  readonly cpuMillis: number
  readonly bytes: number
  readonly memoryBytes: number
}

/** Written for the version that the record has now, or it would be refused before any work. */
const atItsVersion = async ({ ask }: Probed, asked: Asked): Promise<Asked> => {
  if (asked.body?.startsWith('{"expectedVersion":1,') !== true) return asked
  const { headers = {}, path } = asked
  const { text } = await ask({ method: "GET", path: path.replace(/\/criteria\/\d+$/u, ""), headers })
  const version = text.match(/"version":(\d+)(?!.*"version":\d)/su)?.[1] ?? "1"
  return { ...asked, body: asked.body.replace('"expectedVersion":1', `"expectedVersion":${version}`) }
}

const lowest = (service: Probed, { id }: Operation, worst: Worst): Promise<Row> =>
  (async () => {
    let row: Row | undefined
    for (let n = 0; n < SENDINGS; n++) {
      const held = await service.measure(await atItsVersion(service, await worst.make()))
      const memoryBytes = Math.max(0, Math.max(held.heapBytes, held.rssBytes) - held.bytes)
      const now: Row = { operation: id, request: worst.name, ...held, memoryBytes }
      if (n === 0) continue
      row = {
        ...now,
        blockMillis: Math.min(row?.blockMillis ?? Infinity, now.blockMillis),
        blockCpuMillis: Math.min(row?.blockCpuMillis ?? Infinity, now.blockCpuMillis),
        cpuMillis: Math.min(row?.cpuMillis ?? Infinity, now.cpuMillis),
        memoryBytes: Math.min(row?.memoryBytes ?? Infinity, now.memoryBytes)
      }
    }
    if (row === undefined) throw new Error("nothing was measured")
    return row
  })()

/** The row of a route: the request that held the loop the longest, with the most memory that one of them needed. */
const byRoute = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  [...Map.groupBy(rows, ({ operation }) => operation).values()].flatMap((all) => {
    const [longest] = all.toSorted((a, b) => b.blockCpuMillis - a.blockCpuMillis)
    const memoryBytes = Math.max(...all.map((row) => row.memoryBytes))
    return longest === undefined ? [] : [{ ...longest, memoryBytes }]
  })

const isBroken = ({ blockCpuMillis, memoryBytes }: Row): boolean =>
  blockCpuMillis > BLOCK_MILLIS_MAX || memoryBytes > MEMORY_BYTES_MAX

const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1)
const line = (row: Row): string =>
  `| ${[
    row.operation,
    row.request,
    row.status,
    row.millis.toFixed(0),
    row.blockMillis.toFixed(0),
    `${row.blockCpuMillis.toFixed(0)}${row.blockCpuMillis > BLOCK_MILLIS_MAX ? " **!**" : ""}`,
    row.cpuMillis.toFixed(0),
    mebibytes(row.bytes),
    `${mebibytes(row.memoryBytes)}${row.memoryBytes > MEMORY_BYTES_MAX ? " **!**" : ""}`
  ].join(" | ")} |`
const header = `| Route | Request | Status | ms | Block, ms | Block, CPU ms | CPU ms | Answer MiB | Memory MiB |
|---|---|---:|---:|---:|---:|---:|---:|---:|`

export const worst = Command.make(
  "worst",
  { only },
  Effect.fn(function* ({ only }) {
    yield* Console.error(
      "starting the service on the small demo, and filling it with the worst that is allowed …"
    )
    const service = yield* probed
    const rows = yield* Effect.promise(async () => {
      const world = await makeWorld(service, (note) => process.stderr.write(`${note}\n`))
      const answer = await service.ask({ method: "GET", path: "/swagger.json" })
      const operations = operationsOf(await decodeDocument(JSON.parse(answer.text)))
      const missing = operations.filter(lacksEntry).map(({ id }) => id)
      if (missing.length > 0) return missing
      const all: Array<Row> = []
      for (const operation of operations.filter(({ id }) => only.split(",").some((one) => id.includes(one))))
        for (const one of requestsOf(operation, entryOf(operation), world)) {
          const row = await lowest(service, operation, one)
          process.stderr.write(`${line(row)}\n`)
          all.push(row)
        }
      return all
    })
    const missing = rows.filter((row) => typeof row === "string")
    if (missing.length > 0)
      return yield* new Broken({
        message: `there is no worst request for ${missing.join(", ")}: add the largest legal bodies of each to its room in packages/bench/src/worst/<Room>Worst.ts; a new room has its line in WorstTable.ts`
      })
    const measured = rows.filter((row) => typeof row !== "string")
    yield* Console.log([header, ...byRoute(measured).map(line)].join("\n"))
    const broken = measured.filter(isBroken)
    if (broken.length > 0)
      return yield* new Broken({
        message: `${broken.length} of ${measured.length} requests hold the loop above ${BLOCK_MILLIS_MAX} ms or need more than ${mebibytes(MEMORY_BYTES_MAX)} MiB`
      })
  }, Effect.scoped)
).pipe(Command.withDescription("What the most expensive allowed request of every route holds"))
