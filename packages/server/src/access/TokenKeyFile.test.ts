import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { DataFolder } from "../files/DataFolder.ts"
import { temporaryFolder } from "../testing/TemporaryFolder.ts"
import { layer } from "./TokenKeyFile.ts"
import { TokenKeys } from "./TokenKeys.ts"

const idsIn = (made: string) =>
  Effect.map(TokenKeys, ({ keys }) => keys.map(({ id, key }) => `${id}:${Redacted.value(key).length}`)).pipe(
    Effect.provide(layer.pipe(Layer.provide([DataFolder.layer(made), SecureRandom.layerWebCrypto])))
  )

// contract §11: RAPPORT_TOKEN_KEYS, generated into the data folder when embedded.

it.effect("the generated token key is made once, and every later start signs with it", () =>
  Effect.gen(function* () {
    const made = yield* temporaryFolder
    const first = yield* idsIn(made)
    assert.match(first[0] ?? "", /:32$/u)
    assert.deepStrictEqual(yield* idsIn(made), first)
  })
)
