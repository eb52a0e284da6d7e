// Encrypts stored secrets of connectors with keys derived from RAPPORT_TOKEN_KEYS (docs/security.md).
import { Context, Redacted } from "effect"
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from "node:crypto"
import { derivedKey, type TokenKeys } from "./TokenKeys.ts"

/** The authenticated data of a sealed secret: a secret that was moved to another row cannot be opened. */
export interface SealedPlace {
  readonly instanceId: number
  readonly botId: number
  readonly channel: string
  readonly member: "secret" | "previousSecret" | "token"
}

export interface Seal {
  /** Returns the text of `keepSealed` unchanged. */
  readonly seal: (place: SealedPlace, secret: Redacted.Redacted) => string
  /** Returns unsealed text of earlier versions as it is; undefined if no key opens the text. */
  readonly open: (place: SealedPlace, stored: string) => Redacted.Redacted | undefined
  /** Whether the text is sealed with the newest key. */
  readonly isCurrent: (stored: string) => boolean
}

/** Every new secret is sealed, so only sealed text in the database has this prefix. */
export const SEALED_PREFIX = "sealed.v1."
const ALGORITHM = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16

const plain = (stored: string) => Redacted.make(stored, { label: "connector" })

/** The label distinguishes sealed text that is kept from a secret with the same letters. */
const KEPT = "sealed connector"

/** Sealed text that is written back unchanged, because its missing key may be configured again. */
export const keepSealed = (stored: string): Redacted.Redacted => Redacted.make(stored, { label: KEPT })

/** The default seals nothing. It is for tests of single stores. */
export const ConnectorSeal = Context.Reference<Seal>("server/access/ConnectorSeal", {
  defaultValue: () => ({
    seal: (_, secret) => Redacted.value(secret),
    open: (_, stored) => plain(stored),
    isCurrent: () => true
  })
})

/** Seals with the newest key; opens with all keys. */
export const sealOf = (keys: TokenKeys["Service"]["keys"]): Seal => {
  const [newest] = keys
  const derived = new Map(keys.map(({ id, key }) => [id, derivedKey(key, PURPOSE)]))
  const newestKey = derivedKey(newest.key, PURPOSE)
  return {
    seal: (place, secret) => {
      const text = Redacted.value(secret)
      if (secret.label === KEPT) return text
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, newestKey, iv).setAAD(authenticatedDataOf(place))
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
      return `${SEALED_PREFIX}${newest.id}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")}`
    },
    open: (place, stored) => {
      if (!stored.startsWith(SEALED_PREFIX)) return plain(stored)
      const [id = "", body = ""] = stored.slice(SEALED_PREFIX.length).split(".")
      const key = derived.get(id)
      return key === undefined ? undefined : decrypt(key, place, Buffer.from(body, "base64url"))
    },
    isCurrent: (stored) => stored.startsWith(`${SEALED_PREFIX}${newest.id}.`)
  }
}

const decrypt = (key: KeyObject, place: SealedPlace, body: Buffer): Redacted.Redacted | undefined => {
  if (body.length < IV_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv(ALGORITHM, key, body.subarray(0, IV_BYTES))
    .setAAD(authenticatedDataOf(place))
    .setAuthTag(body.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  const text = decipher.update(body.subarray(IV_BYTES + TAG_BYTES))
  try {
    return plain(Buffer.concat([text, decipher.final()]).toString("utf8"))
  } catch {
    // The text was changed, moved, or sealed with another key.
    return undefined
  }
}

const PURPOSE = "connector secrets"

const authenticatedDataOf = ({ botId, channel, instanceId, member }: SealedPlace): Buffer =>
  Buffer.from(JSON.stringify([instanceId, botId, channel, member]))
