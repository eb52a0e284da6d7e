// `rapport client`: exports or erases everything about one client (contract §9, "Clients").
import { isoOf } from "@rapport/contract/values/Time.ts"
import { clientLines } from "@rapport/core/clients/ClientData.ts"
import { ClientDataStore, type StoredClient } from "@rapport/core/clients/ClientDataStore.ts"
import { Effect, Layer, Schema, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import { withSettings } from "../Config.ts"
import { PRIVATE_FILE } from "../files/PrivateFiles.ts"
import { layer as storeLayer } from "../postgres/clients/ClientDataStorePostgres.ts"
import { idArray } from "../postgres/sql/Fragment.ts"
import { rowsOf } from "../postgres/sql/Query.ts"
import { progress } from "../start/Progress.ts"
import { fileStorageLayer } from "../wiring/FileStorages.ts"
import { onDatabaseWith } from "./CommandDatabase.ts"
import { confirm, yes } from "./Confirmation.ts"
import { CommandFailed } from "./Failure.ts"
import { idArgument, Json, optional } from "./Flags.ts"
import { print, writeOutput } from "./Output.ts"

const onStores = onDatabaseWith(Layer.provide(storeLayer, withSettings(fileStorageLayer)))

const id = idArgument("Id of the client; the id of a merged client means the client it was merged into")

const system = { actorType: "system", actorId: null } as const

const writeFailure = (cause: unknown) =>
  new CommandFailed({
    message: `the export could not be written: ${cause instanceof Error ? cause.message : ""}`
  })

/** The target of an export: a file that only its owner can read, or standard output. */
const openTarget = (file: string | undefined) => {
  if (file === undefined) return Effect.succeed({ write: writeOutput })
  return Effect.acquireRelease(
    Effect.try({ try: () => fs.openSync(file, "wx", PRIVATE_FILE), catch: writeFailure }),
    (open) => Effect.sync(() => fs.closeSync(open))
  ).pipe(
    Effect.map((open) => ({
      // Not `writeSync`, which may write only a part of the text.
      write: (text: string) => Effect.try({ try: () => fs.appendFileSync(open, text), catch: writeFailure })
    }))
  )
}

const output = Flag.String("output").pipe(
  Flag.withDescription("A new file for the lines; without it they go to standard output"),
  optional
)

const exportCommand = Command.make(
  "export",
  { id, output },
  Effect.fnUntraced(
    function* (flags) {
      const store = yield* ClientDataStore
      const client = yield* store.find(null, flags.id)
      if (client === undefined)
        return yield* new CommandFailed({ message: `there is no client ${flags.id}, or it was erased` })
      const { output: file } = flags
      const isArray = (yield* Json) && file === undefined
      const { write } = yield* openTarget(file)
      yield* store.exported(client, system)
      const { advance, finished } = yield* progress("exporting", "records")
      let records = 0
      const lines = yield* clientLines(store, client)
      yield* Stream.runForEach(lines, (text) => {
        const count = text.split("\n").length - 1
        const before = records
        records += count
        const asArray = text
          .trimEnd()
          .split("\n")
          .map((line, i) => `${before === 0 && i === 0 ? "[" : ","}${line}\n`)
        const shown = isArray ? asArray.join("") : text
        return Effect.andThen(count === 0 ? Effect.void : write(shown), advance(count))
      })
      if (isArray) yield* write("]\n")
      yield* finished
      if (file !== undefined)
        yield* print(
          { id: client.id, file, records },
          `${records} records of client ${client.id} are in ${file}`
        )
    },
    Effect.scoped,
    onStores
  )
).pipe(
  Command.withDescription(
    "Write everything that is stored about a client, a line of JSON for each record; with --json one array"
  ),
  Command.withExamples([
    {
      command: "rapport client export 501 --output client-501.ndjson",
      description: "Into a file that only its owner can read"
    },
    {
      command: "rapport client export 501 | jq -c 'select(.kind == \"message\")'",
      description: "Its messages"
    }
  ])
)

const describedRows = rowsOf(
  Schema.Struct({
    name: Schema.String,
    instance: Schema.String,
    identities: Schema.Array(Schema.String),
    chats: Schema.Int,
    tickets: Schema.Int
  })
)

/** A description by which a person recognizes a client, with the clients merged into it. */
const describeClient = Effect.fnUntraced(function* ({ id, ids, instanceId }: StoredClient) {
  const sql = yield* SqlClient.SqlClient
  const mine = sql`instance_id = ${instanceId}::int8 and client_id = any(${idArray(ids)})`
  const { chats, identities, instance, name, tickets } =
    yield* describedRows.get(sql`select c.name, i.name as instance,
      array(select channel || ' ' || chat_id from client_identities where ${mine} order by 1 limit ${IDENTITIES_SHOWN}) as identities,
      (select count(*)::float8 from appeals where ${mine} and kind = 'chat') as chats,
      (select count(*)::float8 from appeals where ${mine} and kind = 'ticket') as tickets
    from clients c join instances i on i.id = c.instance_id where c.instance_id = ${instanceId}::int8 and c.id = ${id}::int8`)
  const merged = ids.filter((one) => one !== id)
  return [
    `client ${id} ${JSON.stringify(name)} of instance ${instanceId} (${instance})`,
    ...identities,
    `${chats} chats`,
    `${tickets} tickets`,
    ...(merged.length === 0 ? [] : [`merged into it: ${merged.join(", ")}`])
  ].join(", ")
})

const IDENTITIES_SHOWN = 5

const erase = Command.make(
  "erase",
  { id, yes },
  Effect.fnUntraced(function* (flags) {
    const store = yield* ClientDataStore
    const client = yield* store.find(null, flags.id)
    // An erasure that has begun was confirmed then.
    if (client !== undefined && !flags.yes)
      yield* confirm(yield* describeClient(client), String(client.id), "erased")
    const begun = yield* store.beginErasure(null, flags.id, system)
    if (begun === undefined) return yield* new CommandFailed({ message: `there is no client ${flags.id}` })
    const { finished, reached } = yield* progress("erasing", "rows")
    // A running service may erase slices too.
    const state = store.beginErasure(null, flags.id, system)
    const logWaitingOnce = yield* Effect.cached(
      Effect.logInfo("erasing: no rows are left; writes that began before the erasure may still add rows")
    )
    const slice = Effect.gen(function* () {
      const done = yield* store.erase({ instanceId: begun.instanceId, id: begun.clientId })
      if (done?.isWaiting === true) yield* logWaitingOnce
      if (done === undefined || done.isWaiting) yield* Effect.sleep(WAITING_MILLIS)
      const now = done ?? (yield* state)
      yield* reached({ built: now?.erased ?? 0, total: 0 })
      return now
    })
    const last = yield* Effect.repeat(slice, { until: (now) => now?.status !== "running" })
    yield* finished
    const { clientId, erased, finishedAt, requestedAt, status } = last ?? begun
    yield* print(
      {
        clientId,
        status,
        erased,
        requestedAt: isoOf(requestedAt),
        finishedAt: finishedAt === null ? null : isoOf(finishedAt)
      },
      `client ${clientId} is erased: ${erased} rows; the search indexes of running processes are updated, those of other processes when they start`
    )
  }, onStores)
).pipe(
  Command.withDescription(
    "Erase everything that is stored about a client, for ever; if interrupted, it continues when it is called again or a service runs"
  ),
  Command.withExamples([
    {
      command: "rapport client erase 501",
      description: "Shows the client and requires a confirmation"
    },
    {
      command: "rapport client export 501 --output client-501.ndjson && rapport client erase 501 --yes",
      description: "Exports, then erases without a confirmation"
    }
  ])
)

const WAITING_MILLIS = 500

export const clientCommand = Command.make("client").pipe(
  Command.withDescription("Export or erase the personal data of a client"),
  Command.withSubcommands([exportCommand, erase])
)
