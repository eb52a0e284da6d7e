// Backup and restore of the whole database, without tools of PostgreSQL.
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { version } from "@rapport/contract/Version.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { DateTime, Effect, Stream } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import * as fs from "node:fs"
import { intoEmpty, loadRows, loadSequence, RestoreRefused } from "./BackupLoad.ts"
import { backupTables, databaseVersion, inSnapshot, readRows, readSequences } from "./BackupTables.ts"
import { eachFile } from "../files/FileStorePostgres.ts"
import { migrate } from "../schema/Migrations.ts"
import { progress } from "../../start/Progress.ts"
import { type BackupTable, type BackupWriter, readBackup, writeBackup } from "./BackupFile.ts"

/**
 * Writes everything that was committed before this call to a new file. The service may run at the same time. `storage` has the
 * bytes of files. Without it they are not part of the backup.
 */
export const backUp = Effect.fnUntraced(function* (file: string, storage: FileStorage["Service"] | null) {
  const shown = yield* progress("backing up", "rows")
  const createdAt = DateTime.formatIso(yield* DateTime.now)
  const written = yield* inSnapshot(
    Effect.gen(function* () {
      const tables = yield* backupTables
      const { migrations, postgres } = yield* databaseVersion
      const header = {
        format: "rapport-backup-1",
        program: version,
        createdAt,
        postgres,
        migrations,
        tables
      } as const
      const counts = yield* writeBackup(file, header, ({ write }) =>
        Effect.gen(function* () {
          let count = 0
          for (const table of tables) {
            yield* write([{ table: table.name }])
            yield* readRows(table, (found) => {
              count += found.length
              return Effect.andThen(write(found.map((row) => ({ row }))), shown.advance(found.length))
            })
          }
          yield* write((yield* readSequences).map((sequence) => ({ sequence })))
          const files = storage === null ? NO_FILES : yield* writeFiles(storage, write)
          return { rows: count, ...files }
        })
      )
      return { tables: tables.length, ...counts }
    })
  )
  yield* shown.finished
  return { file, createdAt, ...written, bytes: fs.statSync(file).size }
})

const NO_FILES = { files: 0, filesWithoutBytes: 0 }

/** Writes the bytes of every file. A file that was deleted since the snapshot has none. */
const writeFiles = Effect.fnUntraced(function* (
  storage: FileStorage["Service"],
  write: BackupWriter["write"]
) {
  const counts = { files: 0, filesWithoutBytes: 0 }
  yield* eachFile(
    Effect.fnUntraced(function* ({ bytes, id, instanceId }) {
      const found = yield* storage.read({ instanceId, id }, { first: 0, last: bytes - 1 })
      if (found === undefined) return void counts.filesWithoutBytes++
      const data = Buffer.concat([...(yield* Stream.runCollect(found))]).toString("base64")
      yield* write([{ file: { instanceId, id, data } }])
      counts.files++
    })
  )
  return counts
})

/** The limits of one insert statement. */
const INSERT_ROWS_MAX = 1_000
const INSERT_CHARACTERS_MAX = 4 * 1024 * 1024

type Loading = Effect.Effect<
  void,
  RestoreRefused | SourceUnavailable | SqlError.SqlError,
  SqlClient.SqlClient
>

/** Loads a backup into an empty database and migrates it to the current version. */
export const restore = Effect.fnUntraced(function* (file: string) {
  const storage = yield* FileStorage
  const shown = yield* progress("restoring", "rows")
  const { header, lines } = yield* readBackup(file)
  const byName = new Map(header.tables.map((table) => [table.name, table]))
  const load = Effect.gen(function* () {
    let count = 0
    let files = 0
    let table: BackupTable | undefined
    let rows: Array<string> = []
    let characters = 0
    const flush = Effect.suspend(() => {
      const waiting = rows
      rows = []
      characters = 0
      count += waiting.length
      return table === undefined || waiting.length === 0
        ? Effect.void
        : Effect.andThen(loadRows(table, waiting), shown.advance(waiting.length))
    })
    yield* Stream.runForEach(lines, (line): Loading => {
      if ("row" in line) {
        rows.push(line.row)
        characters += line.row.length
        return rows.length < INSERT_ROWS_MAX && characters < INSERT_CHARACTERS_MAX ? Effect.void : flush
      }
      if ("file" in line) {
        files++
        return Effect.asVoid(storage.put(line.file, Stream.make(Buffer.from(line.file.data, "base64"))))
      }
      if ("sequence" in line) return Effect.andThen(flush, loadSequence(line.sequence))
      return Effect.andThen(
        flush,
        Effect.suspend(() => {
          table = byName.get(line.table)
          return table === undefined
            ? Effect.fail(new RestoreRefused({ message: `the backup names the unknown table ${line.table}` }))
            : Effect.void
        })
      )
    })
    yield* flush
    return { rows: count, files }
  })
  const { ended, held, loaded } = yield* intoEmpty(header, load)
  const migrated = yield* migrate
  yield* shown.finished
  return {
    file,
    createdAt: header.createdAt,
    tables: header.tables.length,
    ...loaded,
    migrated: migrated.length,
    ended,
    held
  }
}, Effect.scoped)
