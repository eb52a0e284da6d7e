import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { NewPassword } from "./NewPassword.ts"

const isAccepted = Schema.is(NewPassword)

describe("a new password", () => {
  it.each([
    "rapport-demo",
    "a long password",
    "їжачок-у-тумані",
    "x".repeat(128),
    "Ґанок та ключ",
    "😀".repeat(8)
  ])("%s is accepted", (password) => assert.isTrue(isAccepted(password)))
  it.each(["12345678", "Password1", "QWERTYUIOP", "Йцукенгш", "Пароль123", "administrator", "operator1"])(
    "%s is refused because it is easily guessed",
    (password) => assert.isFalse(isAccepted(password))
  )
  it.each(["1234567", "😀".repeat(7), "x".repeat(129)])("%s is refused for its length", (password) =>
    assert.isFalse(isAccepted(password))
  )
})
