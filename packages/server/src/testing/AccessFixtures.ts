// Login, sessions and tokens on a real PostgreSQL, with helpers that make instances and users.
import type { Role } from "@rapport/contract/Authorization.ts"
import { Access } from "@rapport/core/access/Access.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { ExternalTokens } from "@rapport/core/access/ExternalTokens.ts"
import { Pages } from "@rapport/core/lists/Pages.ts"
import { Instances } from "@rapport/core/access/Instances.ts"
import { Passwords } from "@rapport/core/access/Passwords.ts"
import { Denials } from "@rapport/core/audit/Denials.ts"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Layer, Redacted, Result } from "effect"
import * as AccessTokens from "../access/AccessTokens.ts"
import * as InstanceStorePostgres from "../postgres/access/InstanceStorePostgres.ts"
import { PostgresFixtures } from "./PostgresFixtures.ts"
import { insertUser, makeStores, testTokenKeys } from "./StoreFixtures.ts"

/** Use cases and adapters on a database with all tables and no rows. */
const layer = Layer.mergeAll(Access.layer, Authenticator.layer, ExternalTokens.layer, Instances.layer).pipe(
  Layer.provideMerge(Denials.layer),
  Layer.provideMerge([AccessTokens.layer, InstanceStorePostgres.layer, Pages.layer]),
  Layer.provide(testTokenKeys),
  Layer.provideMerge(makeStores()),
  Layer.provide(Layer.mock(FileStorage, {})),
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
  hashed ??= yield* Effect.flatMap(Passwords, (passwords) => passwords.hash(Redacted.make(password)))
  const login = freshLogin(roles[0] ?? "nobody")
  const id = yield* insertUser(instanceId, roles, {
    login,
    status,
    ...(status === "invited" ? {} : { passwordHash: hashed })
  })
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
