// The data folder, locked by one process: its contents (PostgreSQL, index, keys) allow no second writer.
import { Context, Effect, Layer, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { makeFolder, PRIVATE_FILE, PRIVATE_FOLDER, restrict } from "./PrivateFiles.ts"

/** Another live process has locked the folder (contract §11): the start exits with 1 and this line. */
export class DataFolderInUse extends Schema.TaggedError<DataFolderInUse>()("DataFolderInUse", {
  message: Schema.String
}) {}

/** The folder cannot be created or written. */
export class DataFolderUnusable extends Schema.TaggedError<DataFolderUnusable>()("DataFolderUnusable", {
  message: Schema.String
}) {}

/** The folder of RAPPORT_DATA_DIR, locked as long as the layer lives. */
export class DataFolder extends Context.Service<
  DataFolder,
  {
    /** Absolute path of the folder. */
    readonly path: string
  }
>()("@rapport/server/DataFolder") {
  /** Creates the folder if it is missing, locks it, and fails immediately if another process has. */
  static readonly layer = (dataDir: string): Layer.Layer<DataFolder, DataFolderInUse | DataFolderUnusable> =>
    Layer.effect(
      DataFolder,
      Effect.gen(function* () {
        const folder = path.resolve(dataDir)
        const attempt = <A>(run: () => A) =>
          Effect.try({
            try: run,
            catch: (cause) => new DataFolderUnusable({ message: `data folder ${folder}: ${reasonOf(cause)}` })
          })
        const isOurs = yield* attempt(() => ensureFolder(folder))
        yield* lockFolder(folder)
        // Not before the lock: until then the folder may belong to another process.
        yield* attempt(() => makePrivate(folder, isOurs))
        return { path: folder }
      })
    )
}

/** Creates the folder if it is missing; returns whether it is empty or a data folder. */
const ensureFolder = (folder: string): boolean => {
  makeFolder(folder)
  const names = fs.readdirSync(folder)
  return names.length === 0 || names.includes(LOCK_FILE)
}

/** Another folder keeps its mode: a wrong setting must not make /tmp private. */
const makePrivate = (folder: string, isOurs: boolean): void => {
  const names = fs.readdirSync(folder)
  if (isOurs) restrict(folder, PRIVATE_FOLDER)
  for (const name of [LOCK_FILE, "token-keys"]) restrict(path.join(folder, name), PRIVATE_FILE)
  for (const name of ["index", "memory-index"].filter((one) => names.includes(one))) {
    const index = path.join(folder, name)
    restrict(index, PRIVATE_FOLDER)
    for (const file of fs.readdirSync(index)) restrict(path.join(index, file), PRIVATE_FILE)
  }
  // There may be millions of files of messages: their folder keeps others out.
  if (isOurs) restrict(path.join(folder, "files"), PRIVATE_FOLDER)
}

const LOCK_FILE = "lock.db"

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : "cannot be used")

// SQLite's fcntl lock ends with the process, also with kill -9, so it is never stale.
const lockFolder = (folder: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const db = new DatabaseSync(path.join(folder, LOCK_FILE))
        restrict(path.join(folder, LOCK_FILE), PRIVATE_FILE)
        try {
          db.exec(
            "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS locked(x)"
          )
        } catch (cause) {
          db.close()
          throw cause
        }
        return db
      },
      catch: (cause) =>
        cause instanceof Error && "errcode" in cause && cause.errcode === SQLITE_BUSY
          ? new DataFolderInUse({ message: `data folder ${folder} is used by another process` })
          : new DataFolderUnusable({ message: `data folder ${folder}: ${reasonOf(cause)}` })
    }),
    (db) => Effect.sync(() => db.close())
  )

const SQLITE_BUSY = 5
