// The generated signing key in the data folder of a service with the embedded PostgreSQL.
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { DataFolder, DataFolderUnusable } from "../files/DataFolder.ts"
import { makeTokenKey, parseTokenKeys, type TokenKey, TokenKeys } from "./TokenKeys.ts"

/** Comma-separated keys, newest first, with file mode 0600. */
export const TOKEN_KEY_FILE = "token-keys"

/** contract §11: without RAPPORT_TOKEN_KEYS they are generated into the data folder. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const file = path.join((yield* DataFolder).path, TOKEN_KEY_FILE)
    if (!fs.existsSync(file)) yield* write(file, yield* makeTokenKey(yield* SecureRandom.SecureRandom))
    return TokenKeys.layer(yield* readKeys(file))
  })
)

const readKeys = (file: string) =>
  Effect.try({
    try: () => Redacted.make(fs.readFileSync(file, "utf8").trim(), { label: "token keys" }),
    catch: unusable(file)
  })

/** The configured keys, without generating any. Empty if they are missing or cannot be read. */
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
    return yield* parseTokenKeys(yield* readKeys(file))
  }).pipe(Effect.orElseSucceed((): ReadonlyArray<TokenKey> => []))

// The complete file is renamed, so that a kill leaves no partial key.
const write = (file: string, key: Redacted.Redacted) =>
  Effect.try({
    try: () => {
      const newFile = `${file}.new`
      fs.rmSync(newFile, { force: true })
      fs.writeFileSync(newFile, `${Redacted.value(key)}\n`, { mode: 0o600, flush: true })
      fs.renameSync(newFile, file)
    },
    catch: unusable(file)
  })

const unusable = (file: string) => (cause: unknown) =>
  new DataFolderUnusable({ message: `${file}: ${cause instanceof Error ? cause.message : "cannot be used"}` })
