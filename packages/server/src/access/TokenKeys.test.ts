import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { parseTokenKeys, TOKEN_KEY_BYTES } from "./TokenKeys.ts"

const key = (fill: number, bytes = TOKEN_KEY_BYTES) => Buffer.alloc(bytes, fill).toString("base64url")
const parse = (text: string) => parseTokenKeys(Redacted.make(text))

// contract §11, "Signing keys, newest first, separated by commas".

it.effect("token keys keep their order, newest first", () =>
  Effect.gen(function* () {
    const keys = yield* parse(`${key(1)}, ${key(2)},${key(3)}`)
    assert.deepStrictEqual(
      keys.map((k) => Redacted.value(k.key)[0]),
      [1, 2, 3]
    )
  })
)

it.effect("token key ids are derived from the key and do not reveal it", () =>
  Effect.gen(function* () {
    const [one] = yield* parse(key(1))
    const [, again] = yield* parse(`${key(2)},${key(1)}`)
    assert.strictEqual(one.id, again?.id)
    assert.notInclude(key(1), one.id)
  })
)

it.effect.each<readonly [string, string]>([
  ["an empty text", ""],
  ["a short key", key(1, 31)],
  ["a long key", key(1, 33)],
  ["a letter outside base64url", `${key(1).slice(0, -1)}!`],
  ["a wrong second key", `${key(1)},secret`],
  ["a trailing comma", `${key(1)},`],
  ["a key twice", `${key(1)},${key(1)}`]
])("token keys refuse %s without repeating it", ([, text]) =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(parse(text))
    assert.notInclude(message, text === "" ? "\0" : text)
  })
)
