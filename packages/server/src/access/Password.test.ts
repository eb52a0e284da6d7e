import { assert, it } from "@effect/vitest"
import { Passwords } from "@rapport/core/access/Passwords.ts"
import { Effect, Redacted } from "effect"
import { commandLayer } from "./Password.ts"

const hash = (password: string) => Effect.flatMap(Passwords, (p) => p.hash(Redacted.make(password)))
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

it.effect.each([null, "", "rapport-demo", "$argon2i$v=19$m=64,t=3,p=2$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA"])(
  "passwords match nothing where no valid hash is stored: %s",
  (stored) =>
    Effect.gen(function* () {
      assert.isFalse(yield* verify("rapport-demo", stored))
      assert.isFalse(yield* verify("", stored))
    }).pipe(Effect.provide(commandLayer))
)
