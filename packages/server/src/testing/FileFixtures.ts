// A storage of files in a folder that is deleted afterwards.
import { Effect, Layer } from "effect"
import * as FileStorageFolder from "../storage/FileStorageFolder.ts"
import { temporaryFolder } from "./PostgresFixtures.ts"

export const temporaryFileStorage = Layer.unwrap(Effect.map(temporaryFolder, FileStorageFolder.layer))
