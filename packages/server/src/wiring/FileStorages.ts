// The storage of files: a bucket if it is configured, else a folder of the data folder.
import type { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Layer } from "effect"
import type { Settings } from "../Config.ts"
import * as FileStorageFolder from "../storage/FileStorageFolder.ts"

export const fileStorageLayer = ({
  dataDir,
  s3
}: Pick<Settings, "dataDir" | "s3">): Layer.Layer<FileStorage> =>
  s3 === undefined
    ? FileStorageFolder.layer(dataDir)
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../storage/FileStorageS3.ts")),
          (storage) => storage.layer(dataDir, s3)
        )
      )
