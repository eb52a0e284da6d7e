// Login, sessions and tokens on a real PostgreSQL, with helpers that make instances and users.
import type { Role } from "@rapport/contract/Authorization.ts"
import { Access } from "@rapport/core/access/Access.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { ExternalTokens } from "@rapport/core/access/ExternalTokens.ts"
import { Instances } from "@rapport/core/access/Instances.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { Passwords } from "@rapport/core/access/Passwords.ts"
import { Denials } from "@rapport/core/audit/Denials.ts"
import { Effect, Layer, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { layer as accessTokensLayer } from "../access/AccessTokens.ts"
import { layer as opaqueTokensLayer } from "../access/OpaqueTokens.ts"
import { layer as passwordLayer } from "../access/Password.ts"
import { TokenKeys } from "../access/TokenKeys.ts"
import { layer as cursorsLayer } from "../lists/CursorSeal.ts"
import { layer as accessStoreLayer } from "../postgres/access/AccessStorePostgres.ts"
import { layer as auditLogLayer } from "../postgres/audit/AuditLogPostgres.ts"
import { layer as externalTokenStoreLayer } from "../postgres/access/ExternalTokenStorePostgres.ts"
import { layer as tokenUsesLayer } from "../postgres/access/TokenUsesPostgres.ts"
import { layer as instanceStoreLayer } from "../postgres/access/InstanceStorePostgres.ts"
import { layer as receiptsLayer } from "../postgres/receipts/ReceiptsPostgres.ts"
import { layer as userStoreLayer } from "../postgres/users/UserStorePostgres.ts"
import { insertedId } from "../postgres/sql/Query.ts"
import { PostgresFixtures } from "./PostgresFixtures.ts"

const key = new Uint8Array(32).fill(7)
const keys = Redacted.make(Buffer.from(key).toString("base64url"))

const adapters = Layer.mergeAll(
  accessTokensLayer,
  opaqueTokensLayer,
  passwordLayer,
  accessStoreLayer,
  auditLogLayer,
  externalTokenStoreLayer,
  tokenUsesLayer,
  instanceStoreLayer,
  receiptsLayer,
  userStoreLayer,
  cursorsLayer([Redacted.make(key)])
).pipe(
  Layer.provideMerge(Admission.memoryLayer()),
  Layer.provide(TokenKeys.layer(keys)),
  Layer.provide(SecureRandom.layerWebCrypto)
)

/** Use cases and adapters on a database with all tables and no rows. */
const layer = Layer.mergeAll(Access.layer, Authenticator.layer, ExternalTokens.layer, Instances.layer).pipe(
  Layer.provideMerge(Denials.layer),
  Layer.provideMerge(adapters),
  Layer.provideMerge(PostgresFixtures.migrated)
)

export const password = "пароль-їжака"

let hashed: string | undefined
let made = 0

const freshLogin = (name: string): string => `${name}.${++made}`

const makeInstance = Effect.gen(function* () {
  const instances = yield* Instances
  const adminLogin = freshLogin("Адміністратор")
  const { administratorId, instanceId } = yield* instances.create({
    name: "Тест",
    adminLogin,
    adminPassword: Redacted.make(password)
  })
  return { instanceId, administratorId, adminLogin }
})

const makeUser = Effect.fnUntraced(function* (
  instanceId: number,
  roles: ReadonlyArray<Role>,
  status: "active" | "blocked" | "invited" = "active"
) {
  const sql = yield* SqlClient.SqlClient
  hashed ??= yield* Effect.flatMap(Passwords, (passwords) => passwords.hash(Redacted.make(password)))
  const login = freshLogin(roles[0] ?? "nobody")
  const id = yield* insertedId(
    sql`insert into users (instance_id, login, first_name, last_name, roles, status, password_hash)
      values (${instanceId}, ${login}, 'Олена', 'Їжакевич', ${roles}::text[], ${status}::text,
        ${status === "invited" ? null : hashed}) returning id::float8 as id`
  )
  return { id, login }
})

/** A new instance, a user with these roles, and a session of the user. */
const enter = Effect.fnUntraced(function* (...roles: ReadonlyArray<Role>) {
  const { instanceId } = yield* makeInstance
  const user = yield* makeUser(instanceId, roles)
  return { instanceId, user, ...(yield* sessionOf(user.login)) }
})

const sessionOf = Effect.fnUntraced(function* (login: string) {
  const access = yield* Access
  const pair = yield* access.login({ login, password })
  const session = yield* Effect.flatMap(Authenticator, (authenticator) =>
    authenticator.bearer(pair.accessToken)
  )
  return { pair, session }
})

export const AccessFixtures = { layer, makeInstance, makeUser, enter, sessionOf }

/** The session of a token, as the middleware authenticates it. */
export const bearer = (token: string) => Effect.flatMap(Authenticator, (a) => a.bearer(token))
export const external = (token: string | null) =>
  Effect.flatMap(Authenticator, (a) => a.external(token ?? ""))

/** `OK`, or the code of the error. */
export const codeOf = <A, E extends { readonly code: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure.code : "OK"))

export const run = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(statement(sql)))
