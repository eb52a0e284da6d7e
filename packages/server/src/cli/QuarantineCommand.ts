// `rapport quarantine`: lists or retries documents that could not be indexed.
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import { DateTime, Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { quarantined, releaseQuarantined } from "../postgres/outbox/IndexOperations.ts"
import { indexNames } from "../postgres/outbox/ProjectionKinds.ts"
import { onDatabase } from "./CommandDatabase.ts"
import { json, print, table } from "./Output.ts"

const index = Flag.Literals("index", indexNames).pipe(
  Flag.withDescription("Which index: appeals are in evidence, entries in client-memory"),
  Flag.withDefault("evidence")
)
const Id = Schema.FiniteFromString.pipe(Schema.decodeTo(PositiveInt))
const instance = Flag.String("instance").pipe(
  Flag.withSchema(Id),
  Flag.withDescription("Id of the instance; 1 is the first instance of a service"),
  Flag.withDefault(1)
)

const list = Command.make(
  "list",
  { json },
  Effect.fnUntraced(function* (flags) {
    const shown = (yield* quarantined).map((one) => ({
      ...one,
      createdAt: DateTime.formatIso(one.createdAt)
    }))
    const lines = shown.map((one) => [
      one.index,
      one.instanceId,
      one.id,
      one.tries,
      one.createdAt,
      one.reason
    ])
    const heads = ["INDEX", "INSTANCE", "ID", "TRIES", "SINCE", "REASON"]
    yield* print(
      flags.json,
      shown,
      lines.length === 0 ? "nothing is in quarantine" : table([heads, ...lines])
    )
  }, onDatabase)
).pipe(Command.withDescription("List what is in quarantine and why"))

/** The quarantine of the index does not contain the id. */
export class NotQuarantined extends Schema.TaggedError<NotQuarantined>()("NotQuarantined", {
  message: Schema.String
}) {}

const retry = Command.make(
  "retry",
  { index, instance, json },
  Effect.fnUntraced(function* ({ index, instance, json }) {
    const ids = yield* releaseQuarantined(index, instance, null)
    yield* print(
      json,
      { index, ids },
      `${ids.length} of ${index} in instance ${instance} are indexed again; "rapport quarantine list" shows those that fail again`
    )
  }, onDatabase)
).pipe(Command.withDescription("Index everything again that an index has in quarantine, of one instance"))

const release = Command.make(
  "release",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription("Id of the appeal, or of the entry"),
      Argument.withSchema(Id)
    ),
    index,
    instance,
    json
  },
  Effect.fnUntraced(function* ({ id, index, instance, json }) {
    const released = yield* releaseQuarantined(index, instance, id)
    if (released.length === 0) {
      return yield* new NotQuarantined({
        message: `${id} is not in the quarantine of ${index} in instance ${instance}`
      })
    }
    yield* print(json, { index, id }, `${id} of ${index} is released and will be indexed`)
  }, onDatabase)
).pipe(Command.withDescription("Take one appeal or entry out of quarantine"))

export const quarantineCommand = Command.make("quarantine").pipe(
  Command.withDescription("List documents that could not be indexed, and retry them"),
  Command.withSubcommands([list, retry, release])
)
