import { assert, it } from "@effect/vitest"
import { AccessTokens } from "@rapport/core/access/AccessTokens.ts"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { CompactSign, exportJWK, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from "jose"
import { layer as accessTokensLayer } from "./AccessTokens.ts"
import { TokenKeys } from "./TokenKeys.ts"

const bytes = (fill: number) => Buffer.alloc(32, fill)
const withKeys = (...fills: ReadonlyArray<number>) =>
  accessTokensLayer.pipe(
    Layer.provideMerge(
      TokenKeys.layer(Redacted.make(fills.map((fill) => bytes(fill).toString("base64url")).join(",")))
    )
  )
const claims = { instanceId: 1, userId: 31, sessionId: "019a9f3c-7b6e-7c3a-9d1f-0123456789ab" }
const issue = Effect.flatMap(AccessTokens, (tokens) => tokens.issue(claims))
const verify = (token: string) => Effect.flatMap(AccessTokens, (tokens) => tokens.verify(token))
const detailOf = (token: string) => Effect.map(Effect.flip(verify(token)), ({ detail }) => detail)
const refusal = (token: string) => Effect.map(Effect.flip(verify(token)), ({ code }) => code)

/** A token of ours with something changed, signed with the right key. */
interface Changes {
  readonly header?: Record<string, unknown>
  readonly payload?: Record<string, unknown>
  readonly key?: Uint8Array
}
const forgeToken = (changes: Changes) =>
  Effect.gen(function* () {
    const [{ id }] = (yield* TokenKeys).keys
    const payload = {
      instance: 1,
      user: 31,
      session: claims.sessionId,
      iss: "rapport",
      aud: "rapport",
      iat: 0,
      exp: 900,
      ...changes.payload
    }
    return yield* Effect.promise(() =>
      new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
        .setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid: id, ...changes.header })
        .sign(changes.key ?? bytes(1))
    )
  })

// contract §2: "`aud`, `iss`, `exp` and type are checked"

it.effect("access tokens carry user, instance and session, and always differ, also within one second", () =>
  Effect.gen(function* () {
    const [one, other] = [yield* issue, yield* issue]
    for (const token of [one, other, yield* forgeToken({})])
      assert.deepStrictEqual(yield* verify(token), claims)
    assert.notStrictEqual(one, other)
  }).pipe(Effect.provide(withKeys(1)))
)

it.effect("access tokens live 900 seconds, cached or not", () =>
  Effect.gen(function* () {
    const [seen, unseen] = [yield* issue, yield* Effect.andThen(TestClock.adjust("1 second"), issue)]
    yield* verify(seen)
    yield* TestClock.adjust("898 seconds")
    assert.deepStrictEqual(yield* verify(seen), claims)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* refusal(seen), "UNAUTHENTICATED")
    assert.deepStrictEqual(yield* verify(unseen), claims)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* refusal(unseen), "UNAUTHENTICATED")
  }).pipe(Effect.provide(withKeys(1)))
)

it.effect.each<readonly [string, Changes]>([
  ["of another issuer", { payload: { iss: "somebody" } }],
  ["for another audience", { payload: { aud: "somebody" } }],
  ["that are expired", { payload: { exp: 0 } }],
  ["without end", { payload: { exp: undefined } }],
  ["of another type", { header: { typ: "JWT" } }],
  ["without a type", { header: { typ: undefined } }],
  ["of an unknown key", { header: { kid: "unknown" } }],
  ["without a key id", { header: { kid: undefined } }],
  ["with the right key id and another key", { key: bytes(2) }],
  ["with another algorithm of the same key", { header: { alg: "HS512" }, key: Buffer.alloc(64, 1) }],
  ["without a session", { payload: { session: undefined } }],
  ["with a session that is no UUID", { payload: { session: "1" } }],
  ["with an instance that is no id", { payload: { instance: "1" } }],
  ["with a user that is no id", { payload: { user: 0 } }]
])("access tokens %s are refused", ([, changes]) =>
  Effect.gen(function* () {
    assert.strictEqual(yield* refusal(yield* forgeToken(changes)), "UNAUTHENTICATED")
  }).pipe(Effect.provide(withKeys(1)))
)

it.effect("access tokens without a signature or with a public key algorithm are refused", () =>
  Effect.gen(function* () {
    const [{ id }] = (yield* TokenKeys).keys
    const payload = { instance: 1, user: 31, session: claims.sessionId }
    const unsecured = new UnsecuredJWT(payload)
      .setIssuer("rapport")
      .setAudience("rapport")
      .setExpirationTime(900)
    assert.strictEqual(yield* refusal(unsecured.encode()), "UNAUTHENTICATED")
    const { privateKey } = yield* Effect.promise(() => generateKeyPair("EdDSA", { extractable: true }))
    const jwk = yield* Effect.promise(() => exportJWK(privateKey))
    const key = yield* Effect.promise(() => importJWK(jwk, "EdDSA"))
    const signed = new SignJWT(payload)
      .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: id })
      .setIssuer("rapport")
      .setAudience("rapport")
      .setIssuedAt(0)
      .setExpirationTime(900)
    assert.strictEqual(yield* refusal(yield* Effect.promise(() => signed.sign(key))), "UNAUTHENTICATED")
  }).pipe(Effect.provide(withKeys(1)))
)

it.effect("only the holder of a valid signature learns that an access token has expired", () =>
  Effect.gen(function* () {
    const expired = { payload: { exp: 0 } }
    assert.match(yield* detailOf(yield* forgeToken(expired)), /has expired/u)
    const texts = ["", "..", "a.b.c", "ключ", "e30.e30.", "x".repeat(5_000), "null", "rpx_abc"]
    for (const token of [...texts, yield* forgeToken({ ...expired, key: bytes(2) })])
      assert.match(yield* detailOf(token), /malformed, or this service did not sign it/u)
  }).pipe(Effect.provide(withKeys(1)))
)

// 43 letters of base64url hold 258 bits, a signature 256: four spellings of the last letter mean the same bytes.
it.effect("access tokens altered at any place, or with another spelling of the signature, are refused", () =>
  Effect.gen(function* () {
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    const token = yield* issue
    const altered = [
      ...Array.from(
        token,
        (letter, i) => `${token.slice(0, i)}${letter === "A" ? "B" : "A"}${token.slice(i + 1)}`
      ),
      ...Array.from(letters, (letter) => token.slice(0, -1) + letter).filter((other) => other !== token),
      ...["=", "==", "A", ".", " "].map((added) => token + added)
    ]
    for (const other of altered) assert.strictEqual(yield* refusal(other), "UNAUTHENTICATED", other)
  }).pipe(Effect.provide(withKeys(1)))
)

it.effect("access tokens stay valid under a new newest key and end with the removal of their own", () =>
  Effect.gen(function* () {
    const old = yield* Effect.provide(issue, withKeys(1))
    assert.deepStrictEqual(yield* Effect.provide(verify(old), withKeys(2, 1)), claims)
    assert.strictEqual(yield* Effect.provide(refusal(old), withKeys(2)), "UNAUTHENTICATED")
    const [{ id }] = yield* Effect.provide(
      Effect.map(TokenKeys, ({ keys }) => keys),
      withKeys(1)
    )
    assert.notInclude(bytes(1).toString("base64url"), id)
    const fresh = yield* Effect.provide(issue, withKeys(2, 1))
    assert.deepStrictEqual(yield* Effect.provide(verify(fresh), withKeys(2)), claims)
  })
)
