// The signing key that a service on its embedded PostgreSQL makes for itself and keeps in its data folder.
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { DataFolder, DataFolderUnusable } from "../files/DataFolder.ts"
import { makeTokenKey, parseTokenKeys, type TokenKey, TokenKeys, type TokenKeysInvalid } from "./TokenKeys.ts"

/** Comma-separated keys, newest first, readable by the owner of the process alone. */
export const TOKEN_KEY_FILE = "token-keys"

/** contract §11: without RAPPORT_TOKEN_KEYS they are generated into the data folder. */
export const layer: Layer.Layer<
  TokenKeys,
  TokenKeysInvalid | DataFolderUnusable,
  DataFolder | SecureRandom.SecureRandom
> = Layer.unwrap(
  Effect.gen(function* () {
    const file = path.join((yield* DataFolder).path, TOKEN_KEY_FILE)
    if (!fs.existsSync(file)) yield* write(file, yield* makeTokenKey(yield* SecureRandom.SecureRandom))
    const text = yield* Effect.try({ try: () => fs.readFileSync(file, "utf8").trim(), catch: unusable(file) })
    return TokenKeys.layer(Redacted.make(text, { label: "token keys" }))
  })
)

/** The keys that the settings name, without making any; none where there are none, or they cannot be read. */
export const presentTokenKeys = ({
  databaseUrl,
  dataDir,
  tokenKeys
}: {
  readonly databaseUrl: Redacted.Redacted | undefined
  readonly dataDir: string
  readonly tokenKeys: Redacted.Redacted | undefined
}): Effect.Effect<ReadonlyArray<TokenKey>> =>
  Effect.gen(function* () {
    if (tokenKeys !== undefined) return yield* parseTokenKeys(tokenKeys)
    const file = path.join(dataDir, TOKEN_KEY_FILE)
    if (databaseUrl !== undefined || !fs.existsSync(file)) return []
    const text = yield* Effect.try({ try: () => fs.readFileSync(file, "utf8").trim(), catch: unusable(file) })
    return yield* parseTokenKeys(Redacted.make(text, { label: "token keys" }))
  }).pipe(Effect.orElseSucceed((): ReadonlyArray<TokenKey> => []))

// Renamed when complete, so that a kill in between leaves no half key.
const write = (file: string, key: Redacted.Redacted) =>
  Effect.try({
    try: () => {
      const draft = `${file}.new`
      fs.rmSync(draft, { force: true })
      fs.writeFileSync(draft, `${Redacted.value(key)}\n`, { mode: 0o600, flush: true })
      fs.renameSync(draft, file)
    },
    catch: unusable(file)
  })

const unusable = (file: string) => (cause: unknown) =>
  new DataFolderUnusable({ message: `${file}: ${cause instanceof Error ? cause.message : "cannot be used"}` })
