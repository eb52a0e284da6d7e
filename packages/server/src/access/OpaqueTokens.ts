// Refresh, external and invitation tokens of 256 random bits, which the service stores as SHA-256.
import { type MadeToken, OpaqueTokens } from "@rapport/core/access/OpaqueTokens.ts"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { createHash } from "node:crypto"

const SECRET_BYTES = 32
const SESSION_BYTES = 16
/** Check digits refuse a mistyped token without the database. They add no secrecy. */
const CHECK_BYTES = 4
/** Stored and shown characters of an external token: its kind and 48 of its 256 bits. */
const PREFIX_CHARACTERS = 12

const refreshKind = "rpr_"
const externalKind = "rpx_"
const invitationKind = "rpi_"

export const layer: Layer.Layer<OpaqueTokens, never, SecureRandom.SecureRandom> = Layer.effect(
  OpaqueTokens,
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    return OpaqueTokens.of({
      makeSessionId: random.uuidV7(),
      makeRefresh: (sessionId) =>
        Effect.map(random.randomBytes(SECRET_BYTES), (secret) =>
          makeToken(refreshKind, Buffer.concat([Buffer.from(sessionId.replaceAll("-", ""), "hex"), secret]))
        ),
      openRefresh: (token) => {
        const body = bodyOf(refreshKind, token, SESSION_BYTES + SECRET_BYTES)
        return body === undefined
          ? undefined
          : { sessionId: uuidOf(body.subarray(0, SESSION_BYTES)), hash: hashOf(token) }
      },
      makeExternal: Effect.map(random.randomBytes(SECRET_BYTES), (secret) => makeToken(externalKind, secret)),
      openExternal: (token) =>
        bodyOf(externalKind, token, SECRET_BYTES) === undefined ? undefined : hashOf(token),
      makeInvitation: Effect.map(random.randomBytes(SECRET_BYTES), (secret) =>
        makeToken(invitationKind, secret)
      ),
      openInvitation: (token) =>
        bodyOf(invitationKind, token, SECRET_BYTES) === undefined ? undefined : hashOf(token)
    })
  })
)

const makeToken = (kind: string, body: Uint8Array): MadeToken => {
  const token = `${kind}${Buffer.concat([body, checkOf(kind, body)]).toString("base64url")}`
  return { token, hash: hashOf(token), prefix: token.slice(0, PREFIX_CHARACTERS) }
}

const bodyOf = (kind: string, token: string, bodyBytes: number): Buffer | undefined => {
  const encoded = token.slice(kind.length)
  if (!token.startsWith(kind) || encoded.length > 2 * (bodyBytes + CHECK_BYTES)) return undefined
  const bytes = Buffer.from(encoded, "base64url")
  if (bytes.length !== bodyBytes + CHECK_BYTES || bytes.toString("base64url") !== encoded) return undefined
  const body = bytes.subarray(0, bodyBytes)
  return bytes.subarray(bodyBytes).equals(checkOf(kind, body)) ? body : undefined
}

const checkOf = (kind: string, body: Uint8Array): Buffer =>
  createHash("sha256").update(kind).update(body).digest().subarray(0, CHECK_BYTES)

const hashOf = (token: string): Uint8Array => createHash("sha256").update(token).digest()

const uuidOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5")
