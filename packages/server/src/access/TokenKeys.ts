// The keys of access tokens: the first signs, and all of them verify (contract §11).
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto"

/** `message` describes the expected value of RAPPORT_TOKEN_KEYS and contains no key. */
export class TokenKeysInvalid extends Schema.TaggedError<TokenKeysInvalid>()("TokenKeysInvalid", {
  message: Schema.String
}) {}

/** `id` is the `kid` of a token: a hash that does not reveal the key. */
export interface TokenKey {
  readonly id: string
  readonly key: Redacted.Redacted<Uint8Array>
}

const TOKEN_KEY_BYTES = 32

/** At least one key, newest first. */
export class TokenKeys extends Context.Service<
  TokenKeys,
  { readonly keys: readonly [TokenKey, ...ReadonlyArray<TokenKey>] }
>()("server/access/TokenKeys") {
  static readonly layer = (text: Redacted.Redacted): Layer.Layer<TokenKeys, TokenKeysInvalid> =>
    Layer.effect(
      TokenKeys,
      Effect.map(parseTokenKeys(text), (keys) => ({ keys }))
    )
}

/** Reads comma-separated base64url keys of 32 bytes. */
export const parseTokenKeys = (
  text: Redacted.Redacted
): Effect.Effect<TokenKeys["Service"]["keys"], TokenKeysInvalid> => {
  const keys = Redacted.value(text)
    .split(",")
    .map((item) => keyOf(item.trim()))
  const [first, ...others] = keys
  const good = others.filter((key) => key !== undefined)
  if (first === undefined || good.length < others.length)
    return Effect.fail(new TokenKeysInvalid({ message: expected }))
  const all: TokenKeys["Service"]["keys"] = [first, ...good]
  return new Set(all.map(({ id }) => id)).size < all.length
    ? Effect.fail(new TokenKeysInvalid({ message: "must not contain a key twice" }))
    : Effect.succeed(all)
}

const expected = `must be base64url keys of ${TOKEN_KEY_BYTES} bytes, newest first, separated by commas`

const keyOf = (text: string): TokenKey | undefined => {
  const bytes = Buffer.from(text, "base64url")
  if (bytes.length !== TOKEN_KEY_BYTES || bytes.toString("base64url") !== text.replace(/=+$/u, ""))
    return undefined
  const id = createHmac("sha256", bytes)
    .update("rapport key id")
    .digest()
    .subarray(0, 8)
    .toString("base64url")
  return { id, key: Redacted.make(new Uint8Array(bytes), { label: "token key" }) }
}

/** A new key in the format of RAPPORT_TOKEN_KEYS. */
export const makeTokenKey = (
  random: SecureRandom.SecureRandom["Service"]
): Effect.Effect<Redacted.Redacted> =>
  Effect.map(random.randomBytes(TOKEN_KEY_BYTES), (bytes) =>
    Redacted.make(Buffer.from(bytes).toString("base64url"), { label: "token key" })
  )

/** A key for one purpose. A key object, because Node converts raw bytes at each use, which takes longer than sealing. */
export const derivedKey = (key: Redacted.Redacted<Uint8Array>, purpose: string): KeyObject =>
  createSecretKey(
    new Uint8Array(hkdfSync("sha256", Redacted.value(key), "", `rapport ${purpose}`, TOKEN_KEY_BYTES))
  )
