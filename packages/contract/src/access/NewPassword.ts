// A new password: long enough and not common (contract §2).
import { Schema } from "effect"
import { PASSWORD_POINTS_MAX, PASSWORD_POINTS_MIN } from "../Limits.ts"
import { isOfLength } from "../values/Checks.ts"
import { composedText } from "../values/NormalForm.ts"
import { isCommonPassword } from "./CommonPasswords.ts"

export const NewPassword = Schema.String.check(
  isOfLength(PASSWORD_POINTS_MIN, PASSWORD_POINTS_MAX, composedText),
  Schema.makeFilter<string>((password) => !isCommonPassword(password), {
    message: "must not be a common password"
  })
)
