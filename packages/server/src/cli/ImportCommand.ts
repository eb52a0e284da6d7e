// `rapport import`: moves clients, chats and tickets of another product in, again and again (docs/moving-in.md).
import { Client, credentialOf } from "@rapport/contract/Client.ts"
import { Effect, Result, Schema, Stream, Struct } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import * as fs from "node:fs"
import { PRIVATE_FILE } from "../files/PrivateFiles.ts"
import { progress } from "../start/Progress.ts"
import { bridgeOptions } from "./BridgeOptions.ts"
import { chatwootLines } from "./importing/Chatwoot.ts"
import { type ExportRecord, textIn } from "./importing/ExportRecord.ts"
import { recordsIn, RecordRefused } from "./importing/ImportLines.ts"
import { makeImport } from "./importing/ImportRun.ts"
import { intercomLines } from "./importing/Intercom.ts"
import { zendeskLines } from "./importing/Zendesk.ts"
import { CommandFailed } from "./Failure.ts"
import { optional } from "./Flags.ts"
import { print } from "./Output.ts"

/** Lines between two checkpoints. */
const CHUNK_LINES = 200
const CONCURRENCY = 8

/** By product. */
const converters = {
  rapport: (record: ExportRecord) => [record],
  chatwoot: chatwootLines,
  zendesk: zendeskLines,
  intercom: intercomLines
}

const failureOf = (cause: unknown) =>
  new CommandFailed({ message: cause instanceof Error ? cause.message : String(cause) })
const onFile = <A>(use: () => A) => Effect.try({ try: use, catch: failureOf })

/** How far an interrupted import of the file has come: of this file only, not of another with its name. */
const Checkpoint = Schema.fromJsonString(
  Schema.Struct({ lines: Schema.Int, size: Schema.Int, modifiedAt: Schema.Finite })
)
const decodeCheckpoint = Schema.decodeUnknownOption(Checkpoint)

const filesOf = (file: string) =>
  onFile(() => {
    const { mtimeMs: modifiedAt, size } = fs.statSync(file)
    const checkpoint = `${file}.checkpoint`
    const refusals = `${file}.refused.jsonl`
    const stored = fs.existsSync(checkpoint)
      ? decodeCheckpoint(fs.readFileSync(checkpoint, "utf8"))
      : undefined
    const same =
      stored?._tag === "Some" && stored.value.size === size && stored.value.modifiedAt === modifiedAt
        ? stored.value.lines
        : 0
    return {
      refusals,
      from: same,
      begin: onFile(() => (same === 0 ? fs.rmSync(refusals, { force: true }) : undefined)),
      refuse: (lines: ReadonlyArray<object>) =>
        onFile(() =>
          lines.length === 0
            ? undefined
            : fs.appendFileSync(refusals, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), {
                mode: PRIVATE_FILE
              })
        ),
      reached: (lines: number) =>
        onFile(() => fs.writeFileSync(checkpoint, JSON.stringify({ lines, size, modifiedAt }))),
      end: onFile(() => fs.rmSync(checkpoint, { force: true }))
    }
  })

interface NumberedLine {
  readonly number: number
  readonly text: string
}

// Not node:readline, for which U+2028 ends a line too.
const linesOf = (file: string, from: number): Stream.Stream<NumberedLine, CommandFailed> =>
  Stream.fromAsyncIterable<string, CommandFailed>(fs.createReadStream(file, "utf8"), failureOf).pipe(
    Stream.splitLines,
    Stream.zipWithIndex,
    Stream.map(([text, index]) => ({ text, number: index + 1 })),
    Stream.filter(({ number, text }) => number > from && text.trim() !== "")
  )

/** Users first, then clients, then what names both. */
const rankOf = (record: ExportRecord): number =>
  record["kind"] === "user" ? 0 : record["kind"] === "client" ? 1 : 2

const run = Effect.fnUntraced(function* (flags: {
  readonly file: string
  readonly from: keyof typeof converters
  readonly source: string
  readonly isDry: boolean
}) {
  const files = yield* filesOf(flags.file)
  const importing = yield* makeImport({ source: flags.source, isDry: flags.isDry })
  const counts = { imported: 0, repeated: 0, refused: 0 }
  const { advance, finished } = yield* progress(flags.isDry ? "validating" : "importing", "lines")
  yield* files.begin
  const chunk = Effect.fnUntraced(function* (lines: ReadonlyArray<NumberedLine>) {
    const refusals: Array<{ line: number; reasons: ReadonlyArray<string>; record: unknown }> = []
    const records: Array<{ readonly line: number; readonly record: ExportRecord }> = []
    for (const { number, text } of lines) {
      const found = yield* Effect.result(recordsIn(text, converters[flags.from]))
      if (Result.isSuccess(found)) records.push(...found.success.map((record) => ({ line: number, record })))
      else refusals.push({ line: number, reasons: found.failure.reasons, record: text })
    }
    yield* importing.prepare(records.map(({ record }) => record))
    for (const rank of [0, 1, 2])
      yield* Effect.forEach(
        onceEach(records.filter(({ record }) => rankOf(record) === rank)),
        ({ line, record }) =>
          importing.record(record).pipe(
            Effect.map((outcome) => void (counts[outcome] += 1)),
            Effect.catchIf(
              (error) => error instanceof RecordRefused,
              ({ reasons }) => Effect.sync(() => void refusals.push({ line, reasons, record }))
            )
          ),
        { concurrency: CONCURRENCY, discard: true }
      )
    counts.refused += refusals.length
    yield* files.refuse(refusals.toSorted((a, b) => a.line - b.line))
    const last = lines.at(-1)
    if (!flags.isDry && last !== undefined) yield* files.reached(last.number)
    yield* advance(lines.length)
  })
  yield* linesOf(flags.file, flags.isDry ? 0 : files.from).pipe(
    Stream.grouped(CHUNK_LINES),
    Stream.runForEach((lines) => chunk([...lines]))
  )
  yield* finished
  if (!flags.isDry) yield* files.end
  const unknownUsers = importing.unknownUsers()
  const { imported, refused, repeated } = counts
  yield* print(
    { ...counts, unknownUsers, ...(refused === 0 ? {} : { refusals: files.refusals }) },
    [
      `${imported} records ${flags.isDry ? "can be imported" : "imported"}, ${repeated} were there, ${refused} refused${refused === 0 ? "" : `: see ${files.refusals}`}`,
      ...(unknownUsers.length === 0 ? [] : [`no users here: ${unknownUsers.join(", ")}`])
    ].join("\n")
  )
})

/** Converters repeat the client of each chat; equal records of a chunk are imported once. */
const onceEach = <R extends { readonly record: ExportRecord }>(
  records: ReadonlyArray<R>
): ReadonlyArray<R> => {
  const seen = new Set<string>()
  return records.filter(({ record }) => {
    if (rankOf(record) === 2) return true
    const key = textIn(record, "login") ?? textIn(record, "externalId")
    return key === undefined || (!seen.has(key) && seen.add(key))
  })
}

export const importCommand = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A file with one JSON record a line")),
    from: Flag.Literals("from", Struct.keys(converters)).pipe(
      Flag.withDescription("The product whose records the file has; rapport: lines as in docs/moving-in.md"),
      Flag.withDefault("rapport")
    ),
    source: Flag.String("source").pipe(
      Flag.withDescription("The name of the old product in `source`; by default that of --from"),
      optional
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Validate the records and write nothing"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* (flags) {
    const { token, url } = yield* bridgeOptions
    yield* run({
      ...flags,
      isDry: flags.dryRun,
      source: flags.source ?? flags.from
    }).pipe(Effect.provide(Client.layer(url, credentialOf(token))), Effect.provide(FetchHttpClient.layer))
  })
).pipe(
  Command.withDescription(
    "Import users, clients, chats and tickets of another product. A repeat adds what is new. Refused records are written to FILE.refused.jsonl with their reasons. After an interruption the import continues at FILE.checkpoint. RAPPORT_URL is the origin of the service, RAPPORT_TOKEN a token with appeals.import"
  ),
  Command.withExamples([
    {
      command: "rapport import history.jsonl --source old-desk --dry-run",
      description: "Validates the records"
    },
    {
      command: "rapport import tickets.jsonl --from zendesk",
      description: "Converts and imports the tickets of a JSON export of Zendesk"
    }
  ])
)
