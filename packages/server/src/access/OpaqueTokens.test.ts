import { assert, it } from "@effect/vitest"
import { OpaqueTokens } from "@rapport/core/access/OpaqueTokens.ts"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { layer } from "./OpaqueTokens.ts"

const tokens = layer.pipe(Layer.provide(SecureRandom.layerWebCrypto))
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

it.effect("an opaque token leads back to its session", () =>
  Effect.gen(function* () {
    const { makeRefresh, makeSessionId, openRefresh } = yield* OpaqueTokens
    const sessionId = yield* makeSessionId
    assert.match(sessionId, uuidV7)
    const made = yield* makeRefresh(sessionId)
    assert.deepStrictEqual(openRefresh(made.token), { sessionId, hash: made.hash })
  }).pipe(Effect.provide(tokens))
)

it.effect("opaque tokens never repeat, and their hash does not contain them", () =>
  Effect.gen(function* () {
    const { makeExternal, openExternal } = yield* OpaqueTokens
    const [one, two] = [yield* makeExternal, yield* makeExternal]
    assert.notStrictEqual(one.token, two.token)
    assert.strictEqual(one.hash.length, 32)
    assert.isTrue(one.token.startsWith(one.prefix))
    assert.strictEqual(one.prefix.length, 12)
    assert.deepStrictEqual(openExternal(one.token), one.hash)
  }).pipe(Effect.provide(tokens))
)

// contract §1, "Order of checks": a token that is invalid without a look at the database is 401.
it.effect("a mistyped opaque token is refused without the database", () =>
  Effect.gen(function* () {
    const { makeExternal, openExternal } = yield* OpaqueTokens
    const { token } = yield* makeExternal
    for (let i = 0; i < token.length; i++) {
      const other = token[i] === "A" ? "B" : "A"
      assert.isUndefined(openExternal(token.slice(0, i) + other + token.slice(i + 1)))
      assert.isUndefined(openExternal(token.slice(0, i)))
    }
    for (const added of ["=", " ", "A", "\n"]) assert.isUndefined(openExternal(token + added))
  }).pipe(Effect.provide(tokens))
)

it.effect("opaque tokens of one kind never pass for another kind or a JWT", () =>
  Effect.gen(function* () {
    const { makeExternal, makeRefresh, makeSessionId, openExternal, openRefresh } = yield* OpaqueTokens
    const [external, refresh] = [yield* makeExternal, yield* makeRefresh(yield* makeSessionId)]
    assert.isUndefined(openRefresh(external.token))
    assert.isUndefined(openExternal(refresh.token))
    assert.isUndefined(openExternal("eyJhbGciOiJIUzI1NiJ9.e30.c2ln"))
    assert.isUndefined(openExternal(`rpx_${"A".repeat(100_000)}`))
  }).pipe(Effect.provide(tokens))
)
