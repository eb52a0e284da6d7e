// A password that a user chooses (docs/contract.md §2): long enough, and not a common one.
import { Schema } from "effect"
import { PASSWORD_POINTS_MAX, PASSWORD_POINTS_MIN } from "../Limits.ts"
import { textOf } from "../values/Checks.ts"
import { isCommonPassword } from "./CommonPasswords.ts"

export const NewPassword = textOf(PASSWORD_POINTS_MIN, PASSWORD_POINTS_MAX).check(
  Schema.makeFilter<string>((password) => !isCommonPassword(password), {
    message: "must not be one of the commonest passwords"
  })
)
