// The file of a backup: compressed lines of JSON. The last line has their number and checksum, which reveal an incomplete file.
import { Uuid } from "@rapport/contract/values/Ids.ts"
import { Effect, Schema, Stream } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { once } from "node:events"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import { PRIVATE_FILE } from "../../files/PrivateFiles.ts"

/** The file cannot be written or read, or is not a complete backup. `message` is for people. */
export class BackupFileFailed extends Schema.TaggedError<BackupFileFailed>()("BackupFileFailed", {
  message: Schema.String
}) {}

/** A table with its columns in order, without generated ones. */
export const BackupTable = Schema.Struct({
  name: Schema.String,
  columns: Schema.Array(Schema.Struct({ name: Schema.String, isGenerated: Schema.Boolean }))
})
export type BackupTable = typeof BackupTable.Type

/** The first line, with the tables in the order of the file. */
const BackupHeader = Schema.Struct({
  format: Schema.Literal("rapport-backup-1"),
  program: Schema.String,
  createdAt: Schema.String,
  postgres: Schema.String,
  migrations: Schema.Array(Schema.String),
  tables: Schema.Array(BackupTable)
})
type BackupHeader = typeof BackupHeader.Type

/** The last value of a sequence, as text because it may exceed 2^53. */
export const BackupSequence = Schema.Struct({ name: Schema.String, last: Schema.String })
export type BackupSequence = typeof BackupSequence.Type

/** The bytes of a file of messages, in base64. At most 34 MiB. Its id becomes the name of a file. */
const BackupFileBytes = Schema.Struct({
  instanceId: Schema.Int,
  id: Uuid,
  data: Schema.String
})

/** A line between the first and the last. A row has the text form of PostgreSQL's composite types. */
const BackupLine = Schema.Union([
  Schema.Struct({ table: Schema.String }),
  Schema.Struct({ row: Schema.String }),
  Schema.Struct({ sequence: BackupSequence }),
  Schema.Struct({ file: BackupFileBytes })
])
export type BackupLine = typeof BackupLine.Type

const LastLine = Schema.Struct({ rows: Schema.Int, sha256: Schema.String })
const AnyLine = Schema.fromJsonString(Schema.Union([BackupLine, LastLine]))
const decodeLine = Schema.decodeUnknownSync(AnyLine)
const decodeHeader = Schema.decodeUnknownSync(Schema.fromJsonString(BackupHeader))

/** Larger than a row with the largest message, escaped twice. */
const LINE_CHARACTERS_MAX = 64 * 1024 * 1024

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : "unknown")
const failureOf = (file: string) => (cause: unknown) =>
  cause instanceof BackupFileFailed ? cause : new BackupFileFailed({ message: `${file}: ${reasonOf(cause)}` })

export interface BackupWriter {
  readonly write: (lines: ReadonlyArray<BackupLine>) => Effect.Effect<void, BackupFileFailed>
}

/**
 * Writes a backup under a temporary name and renames it when `body` has succeeded, so that a file with the name is complete. An existing
 * file is never overwritten.
 */
export const writeBackup = <A, E, R>(
  file: string,
  header: BackupHeader,
  body: (writer: BackupWriter) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | BackupFileFailed, R> =>
  Effect.gen(function* () {
    if (fs.existsSync(file)) return yield* new BackupFileFailed({ message: `${file} exists already` })
    const draft = `${file}.partial`
    const hash = createHash("sha256")
    let rows = 0
    const { gzip, written } = yield* Effect.acquireRelease(
      Effect.try({ try: () => openDraft(draft), catch: failureOf(file) }),
      ({ gzip }) =>
        Effect.sync(() => {
          gzip.destroy()
          fs.rmSync(draft, { force: true })
        })
    )
    const awaitWritten = Effect.tryPromise({ try: () => written, catch: failureOf(file) })
    // A failed write has the cause of the whole pipeline.
    const writeText = (text: string) =>
      Effect.callback<void, BackupFileFailed>((resume) => {
        hash.update(text)
        gzip.write(text, (error) => resume(error ? awaitWritten : Effect.void))
      })
    const write = (lines: ReadonlyArray<BackupLine>) => {
      rows += lines.filter((line) => "row" in line).length
      return writeText(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
    }
    yield* writeText(`${JSON.stringify(header)}\n`)
    const result = yield* body({ write })
    yield* writeText(`${JSON.stringify({ rows, sha256: hash.copy().digest("hex") })}\n`)
    gzip.end()
    yield* awaitWritten
    yield* Effect.try({ try: () => fs.renameSync(draft, file), catch: failureOf(file) })
    return result
  }).pipe(Effect.scoped)

const openDraft = (draft: string) => {
  fs.rmSync(draft, { force: true })
  const descriptor = fs.openSync(draft, "wx", PRIVATE_FILE)
  const gzip = createGzip()
  const written = pipeline(gzip, fs.createWriteStream(draft, { fd: descriptor, flush: true }))
  written.catch(() => {})
  return { gzip, written }
}

interface BackupReader {
  readonly header: BackupHeader
  /** The rest. Fails at its end if the file is incomplete. */
  readonly lines: Stream.Stream<BackupLine, BackupFileFailed>
}

/** Opens a backup and reads its first line. */
export const readBackup = Effect.fnUntraced(function* (file: string) {
  const texts = textsOf(file)
  yield* Effect.addFinalizer(() => Effect.promise(async () => void (await texts.return(undefined))))
  const noBackup = () => new BackupFileFailed({ message: `${file} is no backup made by "rapport backup"` })
  const first = yield* Effect.tryPromise({ try: () => texts.next(), catch: failureOf(file) })
  const header = yield* Effect.try({ try: () => decodeHeader(first.value), catch: noBackup })
  const reader: BackupReader = {
    header,
    lines: Stream.fromAsyncIterable(readChecked(file, String(first.value), texts), failureOf(file))
  }
  return reader
})

async function* readChecked(file: string, first: string, texts: AsyncIterable<string>) {
  const broken = () => new BackupFileFailed({ message: `${file} is damaged or not whole` })
  const hash = createHash("sha256").update(`${first}\n`)
  let rows = 0
  let isWhole = false
  for await (const text of texts) {
    if (isWhole) throw broken()
    let line: typeof AnyLine.Type
    try {
      line = decodeLine(text)
    } catch {
      throw broken()
    }
    if ("sha256" in line) {
      isWhole = line.rows === rows && line.sha256 === hash.digest("hex")
      if (!isWhole) throw broken()
    } else {
      hash.update(`${text}\n`)
      if ("row" in line) rows++
      yield line
    }
  }
  if (!isWhole) throw broken()
}

async function* textsOf(file: string): AsyncGenerator<string> {
  const source = fs.createReadStream(file)
  await once(source, "open")
  const plain = createGunzip()
  pipeline(source, plain).catch(() => {})
  plain.setEncoding("utf8")
  let rest = ""
  try {
    for await (const chunk of plain) {
      // Searches only the chunk, because a long line would be searched again with each chunk.
      const [end = "", ...pieces] = String(chunk).split("\n")
      rest += end
      if (rest.length > LINE_CHARACTERS_MAX) throw new Error("a line is too long")
      for (const piece of pieces) {
        yield rest
        rest = piece
      }
    }
  } finally {
    plain.destroy()
    source.destroy()
  }
  if (rest !== "") yield rest
}
