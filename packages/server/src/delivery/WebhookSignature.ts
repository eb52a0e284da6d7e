// Standard Webhooks: how a message is signed both ways (contract §8). Ten lines over node:crypto instead of the
// library of that name: that one reads the clock itself, parses the body in its own way, and brings its own SHA-256.
import { Redacted } from "effect"
import { createHmac, timingSafeEqual } from "node:crypto"

/** How far the time of a signed message may be from now, in both directions. */
const SIGNATURE_MILLIS_MAX = 300_000
/** Signatures of one header that are compared: a sender that changes its secret sends two. */
const SIGNATURES_MAX = 8

interface Signed {
  readonly id: string
  /** Seconds, as the header writes them. */
  readonly timestamp: string
  readonly body: Uint8Array | string
}

/** `secret` is `whsec_` and base64. */
const signatureOf = (secret: Redacted.Redacted, { body, id, timestamp }: Signed): Buffer =>
  createHmac("sha256", Buffer.from(Redacted.value(secret).replace(/^whsec_/u, ""), "base64"))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest()

/** The headers of a signed message; `now` is epoch milliseconds. */
export const signedHeaders = (
  secret: Redacted.Redacted,
  message: { readonly id: string; readonly body: string },
  now: number
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> => {
  const timestamp = String(Math.floor(now / 1_000))
  return {
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signatureOf(secret, { ...message, timestamp }).toString("base64")}`
  }
}

/** Whether the message was signed with the secret, and lately; `signature` is the header, with one or several. */
export const isSigned = (
  secret: Redacted.Redacted,
  message: Signed & { readonly signature: string },
  now: number
): boolean => {
  if (!/^\d{1,12}$/u.test(message.timestamp)) return false
  if (Math.abs(now - Number(message.timestamp) * 1_000) > SIGNATURE_MILLIS_MAX) return false
  const expected = signatureOf(secret, message)
  return message.signature
    .split(" ", SIGNATURES_MAX)
    .map((one) => (one.startsWith("v1,") ? Buffer.from(one.slice(3), "base64") : Buffer.alloc(0)))
    .some((given) => given.byteLength === expected.byteLength && timingSafeEqual(given, expected))
}
