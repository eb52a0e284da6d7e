import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { NewPassword } from "./NewPassword.ts"

const isTaken = Schema.is(NewPassword)

// contract §2, passwords
describe("a new password", () => {
  it.each([
    "rapport-demo",
    "a long password",
    "їжачок-у-тумані",
    "x".repeat(128),
    "Ґанок та ключ",
    "😀".repeat(8)
  ])("%s is taken", (password) => assert.isTrue(isTaken(password)))
  it.each(["12345678", "Password1", "QWERTYUIOP", "Йцукенгш", "Пароль123", "administrator", "operator1"])(
    "%s is refused: everybody tries it",
    (password) => assert.isFalse(isTaken(password))
  )
  it.each(["1234567", "😀".repeat(7), "x".repeat(129)])("%s is refused for its length", (password) =>
    assert.isFalse(isTaken(password))
  )
})
