// Access tokens are HS256 JWTs (contract §2): EdDSA takes eight times the CPU time.
import { Unauthenticated } from "@rapport/contract/Errors.ts"
import { PositiveInt, UuidV7 } from "@rapport/contract/values/Ids.ts"
import { ACCESS_TOKEN_SECONDS, TOKEN_CHARACTERS_MAX } from "@rapport/contract/Limits.ts"
import { type AccessClaims, AccessTokens } from "@rapport/core/access/AccessTokens.ts"
import { BoundedMap } from "@rapport/core/values/BoundedMap.ts"
import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { errors, jwtVerify, type JWTVerifyGetKey, SignJWT } from "jose"
import { webcrypto } from "node:crypto"
import { type TokenKey, TokenKeys } from "./TokenKeys.ts"

/** Access tokens whose verified signature is cached. */
const VERIFIED_TOKENS_MAX = 10_000

const algorithm = "HS256"
/** A token of another type is refused (RFC 9068 §2.1). */
const type = "at+jwt"
const issuer = "rapport"
const audience = "rapport"

const EXPIRED = "the access token has expired: refresh it, or log in again"
const NOT_OURS =
  "the access token is not valid: it is malformed, or this service did not sign it (external tokens belong in x-auth-token)"

const Claims = Schema.Struct({
  instance: PositiveInt,
  user: PositiveInt,
  session: UuidV7,
  exp: Schema.Finite
})
const decodeClaims = Schema.decodeUnknownEffect(Claims)

export const layer: Layer.Layer<AccessTokens, never, TokenKeys> = Layer.effect(
  AccessTokens,
  Effect.gen(function* () {
    const { keys } = yield* TokenKeys
    const imported = yield* Effect.promise(() => Promise.all(keys.map(importKey)))
    const keyById = new Map(keys.map(({ id }, i) => [id, imported[i]]))
    const [signer] = imported
    const signerId = keys[0].id
    if (signer === undefined) return yield* Effect.die("token keys without a key")
    const findKey: JWTVerifyGetKey<webcrypto.CryptoKey> = ({ kid }) => {
      const key = keyById.get(kid ?? "")
      if (key === undefined) throw new Error("signed by an unknown key")
      return key
    }
    const verified = new BoundedMap<string, Verified>(VERIFIED_TOKENS_MAX)

    const issue = Effect.fnUntraced(function* ({ instanceId, sessionId, userId }: AccessClaims) {
      const nowSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      const unsigned = new SignJWT({ instance: instanceId, user: userId, session: sessionId })
        .setProtectedHeader({ alg: algorithm, typ: type, kid: signerId })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(nowSeconds)
        // Makes two tokens of one session distinct within one second.
        .setJti(webcrypto.randomUUID())
        .setExpirationTime(nowSeconds + ACCESS_TOKEN_SECONDS)
      return yield* Effect.promise(() => unsigned.sign(signer))
    })

    const verifyJwt = Effect.fnUntraced(function* (token: string, nowMillis: number) {
      const { payload } = yield* Effect.tryPromise({
        try: () =>
          jwtVerify(token, findKey, {
            algorithms: [algorithm],
            typ: type,
            issuer,
            audience,
            requiredClaims: ["exp", "iat"],
            currentDate: new Date(nowMillis)
          }),
        // The expiry is checked after the signature, so only tokens of this service get the message EXPIRED.
        catch: (cause) =>
          new Unauthenticated({ detail: cause instanceof errors.JWTExpired ? EXPIRED : NOT_OURS })
      })
      const claims = yield* Effect.mapError(
        decodeClaims(payload),
        () => new Unauthenticated({ detail: NOT_OURS })
      )
      return { instanceId: claims.instance, userId: claims.user, sessionId: claims.session, exp: claims.exp }
    })

    const verify = Effect.fnUntraced(function* (token: string) {
      const nowMillis = yield* Clock.currentTimeMillis
      const cached = verified.get(token)
      if (cached !== undefined && cached.endMillis > nowMillis) return cached.claims
      if (token.length > TOKEN_CHARACTERS_MAX || !hasCanonicalSignature(token))
        return yield* new Unauthenticated({ detail: NOT_OURS })
      const { exp, ...claims } = yield* verifyJwt(token, nowMillis)
      verified.set(token, { claims, endMillis: exp * 1_000 })
      return claims
    })

    return AccessTokens.of({ issue, verify })
  })
)

const importKey = ({ key }: TokenKey): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey("raw", Redacted.value(key), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify"
  ])

/** Decoding ignores spare bits of the last letter, so other spellings of a signature are refused. */
const hasCanonicalSignature = (token: string): boolean => {
  const signature = token.slice(token.lastIndexOf(".") + 1)
  return Buffer.from(signature, "base64url").toString("base64url") === signature
}

interface Verified {
  readonly claims: AccessClaims
  readonly endMillis: number
}
