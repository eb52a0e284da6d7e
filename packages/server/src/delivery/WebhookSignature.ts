// Signatures of Standard Webhooks in both directions (contract §8).
import { Redacted } from "effect"
import { createHmac, timingSafeEqual } from "node:crypto"

/** Allowed difference between the time of a message and now, in both directions. */
const SIGNATURE_MILLIS_MAX = 300_000
/** Compared signatures of one header. A sender that changes its secret sends two. */
const SIGNATURES_MAX = 8

interface Signed {
  readonly id: string
  /** Seconds, in the form of the header. */
  readonly timestamp: string
  readonly body: Uint8Array | string
}

/** `secret` is `whsec_` and base64. */
const signatureOf = (secret: Redacted.Redacted, { body, id, timestamp }: Signed): Buffer =>
  createHmac("sha256", Buffer.from(Redacted.value(secret).replace(/^whsec_/u, ""), "base64"))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest()

/** The headers of a message, signed with each secret; `now` is epoch milliseconds. */
export const signedHeaders = (
  secrets: ReadonlyArray<Redacted.Redacted>,
  message: { readonly id: string; readonly body: string },
  now: number
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> => {
  const timestamp = String(Math.floor(now / 1_000))
  return {
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets
      .map((secret) => `v1,${signatureOf(secret, { ...message, timestamp }).toString("base64")}`)
      .join(" ")
  }
}

/** Checks time and signature, of any of the secrets; `signature` is the header with one or several signatures. */
export const isSigned = (
  secrets: ReadonlyArray<Redacted.Redacted>,
  message: Signed & { readonly signature: string },
  now: number
): boolean => {
  if (!/^\d{1,12}$/u.test(message.timestamp)) return false
  if (Math.abs(now - Number(message.timestamp) * 1_000) > SIGNATURE_MILLIS_MAX) return false
  const signatures = message.signature
    .split(" ", SIGNATURES_MAX)
    .map((one) => (one.startsWith("v1,") ? Buffer.from(one.slice(3), "base64") : Buffer.alloc(0)))
  return secrets.some((secret) => {
    const expected = signatureOf(secret, message)
    return signatures.some((one) => one.byteLength === expected.byteLength && timingSafeEqual(one, expected))
  })
}
