// Passwords of commands: from a file or standard input, or generated. Never from an argument, which other users can see.
import { NewPassword } from "@rapport/contract/access/NewPassword.ts"
import { Effect, Redacted, Schema } from "effect"
import { Flag } from "effect/cli"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { WrongUse } from "./Failure.ts"
import { optional } from "./Flags.ts"

export const passwordFile = Flag.String("password-file").pipe(
  Flag.withDescription(
    "A file with the password, - for standard input; default: a generated password, shown once"
  ),
  optional
)

/** The line that shows a generated password. */
export const shownOnce = (password: string | null): ReadonlyArray<string> =>
  password === null ? [] : [`password, shown this once: ${password}`]

// 144 bits.
const GENERATED_PASSWORD_BYTES = 18
export const generatePassword = Effect.sync(() =>
  Redacted.make(randomBytes(GENERATED_PASSWORD_BYTES).toString("base64url"))
)

const STANDARD_INPUT = 0
const isAllowed = Schema.is(NewPassword)

/** `shown` is a generated password; null for a given one, which must obey contract §2. */
export const passwordOf = Effect.fnUntraced(function* (file: string | undefined) {
  if (file === undefined) {
    const password = yield* generatePassword
    return { password, shown: Redacted.value(password) }
  }
  const text = yield* Effect.try({
    try: () => fs.readFileSync(file === "-" ? STANDARD_INPUT : file, "utf8").replace(/\n$/u, ""),
    catch: () => new WrongUse({ message: `--password-file: ${file} cannot be read` })
  })
  if (!isAllowed(text))
    return yield* new WrongUse({
      message: "--password-file: the password must have 8 to 128 characters and must not be a common one"
    })
  return { password: Redacted.make(text), shown: null }
})
