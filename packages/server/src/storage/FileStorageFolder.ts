// Bytes of files in a folder: a folder for each instance, a file for each id.
import { FileStorage, type FilePlace } from "@rapport/core/files/FileStorage.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Layer, Stream } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { makePrivateFolder } from "../files/PrivateFiles.ts"
import { attempt, withSpooledFile, storageFailure, uploadsFolder } from "./Spool.ts"

const isMissing = (cause: unknown) => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

/** The rename is durable only after its folder is synced. */
const syncFolder = async (folder: string) => {
  const handle = await fs.promises.open(folder)
  await handle.sync().finally(() => handle.close())
}

export const layer = (dataDir: string): Layer.Layer<FileStorage> => {
  const folderOf = ({ instanceId }: FilePlace) => path.join(dataDir, "files", String(instanceId))
  const fileOf = (place: FilePlace) => path.join(folderOf(place), place.id)
  return Layer.succeed(FileStorage, {
    put: (place, bytes) =>
      withSpooledFile(uploadsFolder(dataDir), place.id, bytes, (file) =>
        attempt(async () => {
          makePrivateFolder(folderOf(place))
          await fs.promises.rename(file, fileOf(place))
          await syncFolder(folderOf(place))
        })
      ),
    read: (place, { first, last }) =>
      Effect.tryPromise({ try: () => fs.promises.access(fileOf(place)), catch: (cause) => cause }).pipe(
        Effect.as(
          Stream.suspend(() =>
            Stream.fromAsyncIterable<Uint8Array, SourceUnavailable>(
              fs.createReadStream(fileOf(place), { start: first, end: last }),
              storageFailure
            )
          )
        ),
        Effect.catch((cause) => (isMissing(cause) ? Effect.undefined : Effect.fail(storageFailure(cause))))
      ),
    remove: (place) => attempt(() => fs.promises.rm(fileOf(place), { force: true }))
  })
}
