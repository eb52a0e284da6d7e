// Access tokens as HS256 JWTs: an eighth of the work of EdDSA, and only we have to verify them (contract §2).
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
/** Distinguishes an access token from every other JWT; a token of another type is refused (RFC 9068 §2.1). */
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
      if (key === undefined) throw new Error("signed by a key that is not ours")
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
        // Two tokens of one session within one second are still two.
        .setJti(webcrypto.randomUUID())
        .setExpirationTime(nowSeconds + ACCESS_TOKEN_SECONDS)
      return yield* Effect.promise(() => unsigned.sign(signer))
    })

    const judge = Effect.fnUntraced(function* (token: string, nowMillis: number) {
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
        // Checked after the signature: only a token of ours learns that it has expired.
        catch: (cause) =>
          new Unauthenticated({ detail: cause instanceof errors.JWTExpired ? EXPIRED : NOT_OURS })
      })
      const claims = yield* Effect.mapError(
        decodeClaims(payload),
        () => new Unauthenticated({ detail: NOT_OURS })
      )
      return { instanceId: claims.instance, userId: claims.user, sessionId: claims.session, exp: claims.exp }
    })

    const knownClaims = (token: string) =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) => {
        const known = verified.get(token)
        return known !== undefined && known.endMillis > nowMillis ? known.claims : undefined
      })

    const verify = Effect.fnUntraced(function* (token: string) {
      const known = yield* knownClaims(token)
      if (known !== undefined) return known
      if (token.length > TOKEN_CHARACTERS_MAX || !isPlainlySigned(token))
        return yield* new Unauthenticated({ detail: NOT_OURS })
      const { exp, ...claims } = yield* judge(token, yield* Clock.currentTimeMillis)
      verified.set(token, { claims, endMillis: exp * 1_000 })
      return claims
    })

    return AccessTokens.of({ issue, verify, verified: knownClaims })
  })
)

const importKey = ({ key }: TokenKey): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey("raw", Redacted.value(key), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify"
  ])

/** The last letter of a signature has bits to spare that decoding ignores: one spelling alone is ours. */
const isPlainlySigned = (token: string): boolean => {
  const signature = token.slice(token.lastIndexOf(".") + 1)
  return Buffer.from(signature, "base64url").toString("base64url") === signature
}

/** A good signature stays good until the token ends, so each token is verified once. */
interface Verified {
  readonly claims: AccessClaims
  readonly endMillis: number
}
