// Secrets and tokens of connectors as the database holds them: sealed with AES-256-GCM under a key that follows from the keys of
// RAPPORT_TOKEN_KEYS, bound to their place, so that neither a dump nor a row moved elsewhere is of use (docs/security.md).
import { Context, Redacted } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes
} from "node:crypto"
import type { TokenKey, TokenKeys } from "./TokenKeys.ts"

/** Which secret it is. */
export interface SealedPlace {
  readonly instanceId: number
  readonly botId: number
  readonly channel: string
  readonly member: "secret" | "token"
}

export interface Seal {
  /** What `kept` gave stays as it is. */
  readonly seal: (place: SealedPlace, secret: Redacted.Redacted) => string
  /** What was stored before there was a seal is its own text; undefined where no key of ours opens it. */
  readonly open: (place: SealedPlace, stored: string) => Redacted.Redacted | undefined
  /** Sealed with the newest key. */
  readonly isCurrent: (stored: string) => boolean
}

/** Whatever comes in is sealed, also what begins like this; so nothing else in the database does. */
export const SEALED_PREFIX = "sealed.v1."
const ALGORITHM = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

const plain = (stored: string) => Redacted.make(stored, { label: "connector" })

/** Tells what no key of ours opens from a secret of the same letters: a text does not bring it along. */
const KEPT = "sealed connector"

/** A sealed text that is written back as it was read: a key that is missing now may come back. */
export const kept = (stored: string): Redacted.Redacted => Redacted.make(stored, { label: KEPT })

/** Nothing is sealed where no keys are given: in tests of single stores. */
export const ConnectorSeal = Context.Reference<Seal>("server/access/ConnectorSeal", {
  defaultValue: () => ({
    seal: (_, secret) => Redacted.value(secret),
    open: (_, stored) => plain(stored),
    isCurrent: () => true
  })
})

/** The newest key seals, all of them open. */
export const sealOf = (keys: TokenKeys["Service"]["keys"]): Seal => {
  const [newest] = keys
  const derived = new Map(keys.map((key) => [key.id, derivedFrom(key)]))
  const newestKey = derivedFrom(newest)
  return {
    seal: (place, secret) => {
      const text = Redacted.value(secret)
      if (secret.label === KEPT) return text
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, newestKey, iv).setAAD(boundTo(place))
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
      return `${SEALED_PREFIX}${newest.id}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")}`
    },
    open: (place, stored) => {
      if (!stored.startsWith(SEALED_PREFIX)) return plain(stored)
      const [id = "", body = ""] = stored.slice(SEALED_PREFIX.length).split(".")
      const key = derived.get(id)
      return key === undefined ? undefined : opened(key, place, Buffer.from(body, "base64url"))
    },
    isCurrent: (stored) => stored.startsWith(`${SEALED_PREFIX}${newest.id}.`)
  }
}

const opened = (key: KeyObject, place: SealedPlace, body: Buffer): Redacted.Redacted | undefined => {
  if (body.length < IV_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv(ALGORITHM, key, body.subarray(0, IV_BYTES))
    .setAAD(boundTo(place))
    .setAuthTag(body.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  const text = decipher.update(body.subarray(IV_BYTES + TAG_BYTES))
  try {
    return plain(Buffer.concat([text, decipher.final()]).toString("utf8"))
  } catch {
    // Not what was sealed here with this key.
    return undefined
  }
}

/**
 * A key of its own purpose: what it seals says nothing of how tokens are signed. Node takes bytes for a key again at each use,
 * which takes longer than the sealing.
 */
const derivedFrom = ({ key }: TokenKey): KeyObject =>
  createSecretKey(
    new Uint8Array(hkdfSync("sha256", Redacted.value(key), "", "rapport connector secrets", KEY_BYTES))
  )

const boundTo = ({ botId, channel, instanceId, member }: SealedPlace): Buffer =>
  Buffer.from(JSON.stringify([instanceId, botId, channel, member]))
