// `rapport quarantine`: lists or retries documents that could not be indexed.
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { quarantined, releaseQuarantined } from "../postgres/outbox/IndexOperations.ts"
import { indexNames } from "../postgres/outbox/ProjectionKinds.ts"
import { onDatabase } from "./CommandDatabase.ts"
import { CommandFailed } from "./Failure.ts"
import { idArgument, instance } from "./Flags.ts"
import { print, table } from "./Output.ts"

const index = Flag.Literals("index", indexNames).pipe(
  Flag.withDescription("Which index: appeals are in evidence, entries in client-memory"),
  Flag.withDefault("evidence")
)

const list = Command.make(
  "list",
  {},
  Effect.fnUntraced(function* () {
    const found = yield* quarantined
    const rows = found.map((q) => [q.index, q.instanceId, q.id, q.tries, q.createdAt, q.reason])
    const heads = ["INDEX", "INSTANCE", "ID", "TRIES", "SINCE", "REASON"]
    yield* print(found, table(heads, rows, "nothing is in quarantine"))
  }, onDatabase)
).pipe(Command.withDescription("List what is in quarantine and why"))

const retry = Command.make(
  "retry",
  { index, instance },
  Effect.fnUntraced(function* ({ index, instance }) {
    const ids = yield* releaseQuarantined(index, instance, null)
    yield* print(
      { index, ids },
      `${ids.length} of ${index} in instance ${instance} are indexed again; "rapport quarantine list" shows those that fail again`
    )
  }, onDatabase)
).pipe(Command.withDescription("Index everything again that an index has in quarantine, of one instance"))

const release = Command.make(
  "release",
  { id: idArgument("Id of the appeal, or of the entry"), index, instance },
  Effect.fnUntraced(function* ({ id, index, instance }) {
    const released = yield* releaseQuarantined(index, instance, id)
    if (released.length === 0) {
      return yield* new CommandFailed({
        message: `${id} is not in the quarantine of ${index} in instance ${instance}`
      })
    }
    yield* print({ index, id }, `${id} of ${index} is released and will be indexed`)
  }, onDatabase)
).pipe(Command.withDescription("Take one appeal or entry out of quarantine"))

export const quarantineCommand = Command.make("quarantine").pipe(
  Command.withDescription("List documents that could not be indexed, and retry them"),
  Command.withSubcommands([list, retry, release])
)
