import { assert, it } from "@effect/vitest"
import { OpaqueTokens } from "@rapport/core/access/OpaqueTokens.ts"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { layer } from "./OpaqueTokens.ts"

const tokens = layer.pipe(Layer.provide(SecureRandom.layerWebCrypto))

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
    for (const added of ["=", " ", "A", "\n", "A".repeat(100_000)])
      assert.isUndefined(openExternal(token + added))
  }).pipe(Effect.provide(tokens))
)

it.effect("an opaque token of one kind never passes for another kind", () =>
  Effect.gen(function* () {
    const { makeExternal, makeRefresh, makeSessionId, openExternal, openRefresh } = yield* OpaqueTokens
    const [external, refresh] = [yield* makeExternal, yield* makeRefresh(yield* makeSessionId)]
    assert.deepStrictEqual(openExternal(external.token), external.hash)
    assert.isUndefined(openExternal(refresh.token))
    assert.isUndefined(openRefresh(external.token))
  }).pipe(Effect.provide(tokens))
)
