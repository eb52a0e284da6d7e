// Finds the demo logins that still have the well-known password.
import { Passwords } from "@rapport/core/access/Passwords.ts"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DEMO_PASSWORD, demoLogins } from "@rapport/demo/Company.ts"

const decodeUsers = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ login: Schema.String, hash: Schema.String }))
)

export const findDemoLogins = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const passwords = yield* Passwords
  const users = yield* Effect.orDie(
    decodeUsers(
      yield* sql`select login, password_hash as hash from users
      where fold_text(login) = any(${[...demoLogins]}::text[]) and status = 'active' and password_hash is not null
      order by id`
    )
  )
  // The seed hashes the password once, so there is mostly one hash to verify.
  const hashes = [...new Set(users.map(({ hash }) => hash))]
  const known = yield* Effect.filter(
    hashes,
    (hash) =>
      Effect.catchTag(passwords.verify(Redacted.make(DEMO_PASSWORD), hash), "RateLimited", Effect.die),
    {
      concurrency: 2
    }
  )
  return users.filter(({ hash }) => known.includes(hash)).map(({ login }) => login)
})
