// A storage of files in a temporary folder, and signed links to them.
import { Effect, Layer } from "effect"
import * as SignedFileLinks from "../storage/SignedFileLinks.ts"
import * as FileStorageFolder from "../storage/FileStorageFolder.ts"
import { temporaryFolder } from "./PostgresFixtures.ts"
import { testTokenKeys } from "./StoreFixtures.ts"

export const temporaryFileStorage = Layer.unwrap(Effect.map(temporaryFolder, FileStorageFolder.layer))

export const testFileLinks = Layer.provide(SignedFileLinks.layer("http://rapport.test"), testTokenKeys)
