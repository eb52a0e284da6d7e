// The checks of `rapport doctor` for the storage of files.
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Stream } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Settings } from "../Config.ts"
import { indexSummary } from "../postgres/outbox/IndexOperations.ts"
import { fileStorageLayer } from "../wiring/FileStorages.ts"
import { type Check, existingAncestor, failed, ok, warning } from "./Checks.ts"

type Place = Pick<Settings, "dataDir" | "s3">

const MEND_BUCKET =
  "check RAPPORT_S3_URL (https://HOST/BUCKET), RAPPORT_S3_REGION, and that the key may put, get and delete objects"

/** Checks that the folder is writable, or writes an object into the bucket and deletes it. */
export const storageCheck = ({ dataDir, s3 }: Place): Effect.Effect<Check> =>
  s3 === undefined
    ? Effect.sync(() => folderCheck(path.join(dataDir, "files")))
    : Effect.acquireUseRelease(
        Effect.promise(() => fs.promises.mkdtemp(path.join(os.tmpdir(), "rapport-doctor-"))),
        (folder) => Effect.provide(tryStorage, fileStorageLayer({ dataDir: folder, s3 })),
        (folder) => Effect.promise(() => fs.promises.rm(folder, { recursive: true, force: true }))
      ).pipe(
        Effect.as(ok("files", `the bucket ${s3.url} takes and deletes objects`)),
        Effect.catch(({ cause }) =>
          Effect.succeed(
            failed("files", `${s3.url}: ${cause instanceof Error ? cause.message : "no answer"}`, MEND_BUCKET)
          )
        )
      )

/** No instance has the id 0. */
const tryStorage = Effect.gen(function* () {
  const storage = yield* FileStorage
  const place = { instanceId: 0, id: randomUUID() }
  yield* storage.put(place, Stream.make(new Uint8Array([0])))
  yield* storage.remove(place)
})

const folderCheck = (folder: string): Check => {
  const found = existingAncestor(folder)
  try {
    fs.accessSync(found, fs.constants.W_OK)
    if (fs.statSync(found).isDirectory()) return ok("files", `in ${folder}`)
  } catch {
    // Reported below.
  }
  return failed("files", `${found} is not a writable folder`, "correct the owner and the mode of the folder")
}

/** Each process has its own data folder. Needs a migrated database. */
export const sharedFilesCheck = Effect.fnUntraced(function* ({ s3 }: Place) {
  if (s3 !== undefined) return []
  const { processes } = yield* indexSummary
  return processes > 1
    ? [
        warning(
          "shared files",
          `${processes} processes run, and a file is only in the data folder of the process that received it`,
          "set RAPPORT_S3_URL for all processes"
        )
      ]
    : []
})
