// `rapport index`: the status of the search index of every process, and the request to rebuild it.
import { DateTime, Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import { indexNames, projectionKinds } from "../postgres/outbox/ProjectionKinds.ts"
import { onDatabase } from "./CommandDatabase.ts"
import { json, print, table } from "./Output.ts"

const Status = Schema.Struct({
  processId: Schema.String,
  kind: Schema.String,
  instanceId: Schema.Int,
  engine: Schema.String,
  state: Schema.String,
  waiting: Schema.Finite,
  lagMs: Schema.Finite,
  built: Schema.Finite,
  total: Schema.Finite,
  updatedAt: Schema.Date
})
const decodeStatuses = Schema.decodeUnknownEffect(Schema.Array(Status))

const readStatuses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows =
    yield* sql`select process_id::text as "processId", kind, instance_id::int4 as "instanceId", engine, state,
      waiting::float8 as waiting, lag_millis::float8 as "lagMs", built::float8 as built, total::float8 as total,
      updated_at as "updatedAt"
    from projection_standings order by kind, process_id, instance_id`
  const statuses = yield* Effect.orDie(decodeStatuses(rows))
  return statuses.map((one) => ({
    ...one,
    updatedAt: DateTime.formatIso(DateTime.makeUnsafe(one.updatedAt))
  }))
})

const status = Command.make("status", { json }, (flags) =>
  onDatabase(
    Effect.gen(function* () {
      const statuses = yield* readStatuses
      const rows = statuses.map((s) => [
        s.kind,
        s.processId,
        s.engine,
        s.instanceId,
        s.state,
        `${s.built}/${s.total}`,
        s.waiting,
        s.lagMs,
        s.updatedAt
      ])
      const heads = [
        "INDEX",
        "PROCESS",
        "ENGINE",
        "INSTANCE",
        "STATE",
        "BUILT",
        "WAITING",
        "LAG MS",
        "UPDATED"
      ]
      yield* print(
        flags.json,
        statuses,
        rows.length === 0 ? "no process has reported its index yet" : table([heads, ...rows])
      )
    })
  )
).pipe(Command.withDescription("Show the status of the index of every process"))

const rebuild = Command.make(
  "rebuild",
  {
    kind: Argument.Literals("index", indexNames).pipe(
      Argument.withDescription("Which index; without it, all of them"),
      Argument.optional
    ),
    json
  },
  ({ json, kind }) =>
    onDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const wanted = kind._tag === "Some" ? [kind.value] : indexNames
        yield* sql`insert into projection_rebuilds (kind, generation) select k, 1 from unnest(${wanted.map((name) => projectionKinds[name])}::text[]) k
          on conflict (kind) do update set generation = projection_rebuilds.generation + 1, requested_at = now()`
        yield* print(json, { requested: wanted }, `every process rebuilds its index: ${wanted.join(", ")}`)
      })
    )
).pipe(Command.withDescription("Ask every process to rebuild its index from the database"))

export const indexCommand = Command.make("index").pipe(
  Command.withDescription("Show the status of the search indexes, and rebuild them"),
  Command.withSubcommands([status, rebuild])
)
