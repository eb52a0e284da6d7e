import { assert, it } from "@effect/vitest"
import { Passwords } from "@rapport/core/access/Passwords.ts"
import { Effect, Redacted } from "effect"
import { argon2Sync } from "node:crypto"
import { commandLayer } from "./Password.ts"

const hash = (password: string) => Effect.flatMap(Passwords, (p) => p.hash(Redacted.make(password)))
const part = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "")
const verify = (password: string, stored: string | null) =>
  Effect.flatMap(Passwords, (p) => p.verify(Redacted.make(password), stored))

// contract §2: "Hashes are argon2id with t=2, m ≥ 19 456 KiB, p=1."

it.effect("passwords are stored as argon2id with the documented parameters and a salt each", () =>
  Effect.gen(function* () {
    const [one, two] = [yield* hash("rapport-demo"), yield* hash("rapport-demo")]
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/u)
    assert.notStrictEqual(one, two)
  }).pipe(Effect.provide(commandLayer))
)

it.effect("passwords match only themselves, in every script", () =>
  Effect.gen(function* () {
    for (const password of ["rapport-demo", "пароль-їжака", "пароль ёжика", "😀".repeat(128)]) {
      const stored = yield* hash(password)
      assert.isTrue(yield* verify(password, stored))
      assert.isFalse(yield* verify(`${password} `, stored))
    }
  }).pipe(Effect.provide(commandLayer))
)

it.effect("passwords match in any Unicode form", () =>
  Effect.gen(function* () {
    const [composed, decomposed] = ["пароль-їжака", "пароль-їжака".normalize("NFD")]
    for (const [set, typed] of [
      [composed, decomposed],
      [decomposed, composed]
    ])
      assert.isTrue(yield* verify(typed ?? "", yield* hash(set ?? "")))
  }).pipe(Effect.provide(commandLayer))
)

it.effect("passwords hashed with other parameters are verified by their own", () =>
  Effect.gen(function* () {
    const nonce = Buffer.from("a salt of sixteen"),
      message = "rapport-demo"
    const tag = argon2Sync("argon2id", {
      message,
      nonce,
      parallelism: 2,
      tagLength: 24,
      memory: 64,
      passes: 3
    })
    assert.isTrue(yield* verify(message, `$argon2id$v=19$m=64,t=3,p=2$${part(nonce)}$${part(tag)}`))
  }).pipe(Effect.provide(commandLayer))
)

it.effect.each([null, "", "rapport-demo", "$argon2i$v=19$m=64,t=3,p=2$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA"])(
  "passwords match nothing where no valid hash is stored: %s",
  (stored) =>
    Effect.gen(function* () {
      assert.isFalse(yield* verify("rapport-demo", stored))
      assert.isFalse(yield* verify("", stored))
    }).pipe(Effect.provide(commandLayer))
)
