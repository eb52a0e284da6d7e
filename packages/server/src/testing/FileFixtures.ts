// A storage of files in a temporary folder, and signed links to them.
import { Effect, Layer, Redacted } from "effect"
import * as SignedFileLinks from "../storage/SignedFileLinks.ts"
import { TokenKeys } from "../access/TokenKeys.ts"
import * as FileStorageFolder from "../storage/FileStorageFolder.ts"
import { temporaryFolder } from "./PostgresFixtures.ts"

export const temporaryFileStorage = Layer.unwrap(Effect.map(temporaryFolder, FileStorageFolder.layer))

const keys = Redacted.make(Buffer.alloc(32, 7).toString("base64url"))
export const testFileLinks = SignedFileLinks.layer("http://rapport.test").pipe(
  Layer.provide(TokenKeys.layer(keys))
)
