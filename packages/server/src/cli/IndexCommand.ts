// `rapport index`: shows the status of the search indexes or requests a rebuild.
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { indexStatuses, requestRebuild } from "../postgres/outbox/IndexOperations.ts"
import { indexNames } from "../postgres/outbox/ProjectionKinds.ts"
import { onDatabase } from "./CommandDatabase.ts"
import { print, table } from "./Output.ts"

const status = Command.make(
  "status",
  {},
  Effect.fnUntraced(function* () {
    const statuses = yield* indexStatuses
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
    const heads = ["INDEX", "PROCESS", "ENGINE", "INSTANCE", "STATE", "BUILT", "WAITING", "LAG MS", "UPDATED"]
    yield* print(statuses, table(heads, rows, "no process has reported its index yet"))
  }, onDatabase)
).pipe(Command.withDescription("Show the status of the index of every process"))

const rebuild = Command.make(
  "rebuild",
  {
    kind: Argument.Literals("index", indexNames).pipe(
      Argument.withDescription("Which index, evidence or client-memory; without it, both"),
      Argument.optional
    )
  },
  Effect.fnUntraced(function* ({ kind }) {
    const wanted = kind._tag === "Some" ? [kind.value] : indexNames
    yield* requestRebuild(wanted)
    yield* print({ requested: wanted }, `every process rebuilds its index: ${wanted.join(", ")}`)
  }, onDatabase)
).pipe(
  Command.withDescription("Request every process to rebuild its index from the database"),
  Command.withExamples([
    {
      command: "rapport index rebuild client-memory && rapport index status",
      description: "Rebuild one of the two and show its progress"
    }
  ])
)

export const indexCommand = Command.make("index").pipe(
  Command.withDescription("Show the status of the search indexes, and rebuild them"),
  Command.withSubcommands([status, rebuild])
)
