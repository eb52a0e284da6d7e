// `rapport user`: manages users, also while the service runs.
import { Role } from "@rapport/contract/Authorization.ts"
import { UserRequest } from "@rapport/contract/users/UsersApi.ts"
import { Passwords } from "@rapport/core/access/Passwords.ts"
import { systemSession } from "@rapport/core/access/SystemSession.ts"
import { UserAccount } from "@rapport/core/users/UserAccount.ts"
import { UserStore } from "@rapport/core/users/UserStore.ts"
import { Effect, Layer, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import * as PasswordsArgon from "../access/Password.ts"
import * as ReceiptsPostgres from "../postgres/receipts/ReceiptsPostgres.ts"
import { rowsOf } from "../postgres/sql/Query.ts"
import * as UserStorePostgres from "../postgres/users/UserStorePostgres.ts"
import { onDatabaseWith } from "./CommandDatabase.ts"
import { CommandFailed, WrongUse } from "./Failure.ts"
import { instance, instanceFlag, optional } from "./Flags.ts"
import { print, table } from "./Output.ts"
import { passwordFile, passwordOf, shownOnce } from "./Passwords.ts"

const commandServices = UserAccount.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(UserStorePostgres.layer, ReceiptsPostgres.layer, PasswordsArgon.commandLayer)
  ),
  Layer.provide(SecureRandom.layerWebCrypto)
)
const onStores = onDatabaseWith(commandServices)

const login = Argument.String("login").pipe(Argument.withDescription("Login name of the user"))

const Found = Schema.Struct({
  id: Schema.Int,
  instanceId: Schema.Int,
  login: Schema.String,
  name: Schema.String,
  roles: Schema.Array(Schema.String),
  status: Schema.String,
  lastLoginAt: Schema.NullOr(Schema.Date)
})
const foundRows = rowsOf(Found)
const columns = `id::float8 as id, instance_id::float8 as "instanceId", login, first_name || ' ' || last_name as name, roles,
  status, last_login_at as "lastLoginAt"`

/** Logins are unique in the whole service. */
export const findUser = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* foundRows.find(
    sql`select ${sql.literal(columns)} from users where fold_text(login) = fold_text(btrim(${name}))`
  )
  return (
    found ??
    (yield* new CommandFailed({ message: `there is no user ${name}: "rapport user list" shows them` }))
  )
})

/** Users of an instance, or of all. */
export const findUsers = Effect.fnUntraced(function* (instance: number | null) {
  const sql = yield* SqlClient.SqlClient
  return yield* foundRows.all(sql`select ${sql.literal(columns)} from users
    where instance_id = coalesce(${instance}::int8, instance_id) order by instance_id, id`)
})

export const usersTable = (users: ReadonlyArray<typeof Found.Type>): string =>
  table(
    ["ID", "INSTANCE", "STATUS", "LOGIN", "ROLES", "LAST LOGIN"],
    users.map((u) => [u.id, u.instanceId, u.status, u.login, u.roles.join(","), u.lastLoginAt])
  )

const decodeRequest = Schema.decodeUnknownEffect(UserRequest)

const create = Command.make(
  "create",
  {
    instance,
    login: Flag.String("login").pipe(Flag.withDescription("Login name, unique in the whole service")),
    firstName: Flag.String("first-name").pipe(
      Flag.withDescription("First name; default: the login"),
      optional
    ),
    lastName: Flag.String("last-name").pipe(Flag.withDescription("Last name; default: -"), optional),
    email: Flag.String("email").pipe(Flag.withDescription("E-mail address"), optional),
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDescription("A role; repeat the flag for several"),
      Flag.atLeast(1)
    ),
    passwordFile
  },
  Effect.fnUntraced(function* (flags) {
    const sql = yield* SqlClient.SqlClient
    const { password, shown } = yield* passwordOf(flags.passwordFile)
    const request = yield* decodeRequest({
      login: flags.login,
      firstName: flags.firstName ?? flags.login,
      lastName: flags.lastName ?? "-",
      ...(flags.email === undefined ? {} : { email: flags.email }),
      roles: [...new Set(flags.role)]
    }).pipe(
      Effect.mapError(({ message }) => new WrongUse({ message: message.replaceAll(/\s*\n\s*/gu, " ") }))
    )
    const known = yield* sql`select 1 from instances where id = ${flags.instance}`
    if (known.length === 0)
      return yield* new CommandFailed({ message: `there is no instance ${flags.instance}` })
    const passwordHash = yield* (yield* Passwords).hash(password)
    const user = yield* sql.withTransaction(
      (yield* UserStore).create(systemSession(flags.instance), request, {
        passwordHash,
        invitationHash: null
      })
    )
    const text = [
      `user ${user.id} ${user.login} is created in instance ${flags.instance}: ${user.roles.join(", ")}`,
      ...shownOnce(shown)
    ].join("\n")
    yield* print(
      { id: user.id, instanceId: flags.instance, login: user.login, roles: user.roles, password: shown },
      text
    )
  }, onStores)
).pipe(
  Command.withDescription("Create an active user, with a password from a file or a generated one"),
  Command.withExamples([
    {
      command: "rapport user create --login olena --role operator --role qa_specialist",
      description: "Shows the password once"
    },
    {
      command:
        "pass show rapport/olena | rapport user create --login olena --role operator --password-file -",
      description: "With a password from a vault"
    }
  ])
)

const list = Command.make(
  "list",
  { instance: optional(instanceFlag("Of one instance")) },
  Effect.fnUntraced(function* (flags) {
    const users = yield* findUsers(flags.instance ?? null)
    yield* print(users, usersTable(users))
  }, onStores)
).pipe(Command.withDescription("List the users"))

const makeSwitchCommand = (name: "block" | "unblock") =>
  Command.make(
    name,
    { login },
    Effect.fnUntraced(function* (flags) {
      const { id, instanceId, login } = yield* findUser(flags.login)
      const account = yield* UserAccount
      const session = systemSession(instanceId)
      const { answer } = yield* name === "block"
        ? account.block(session, id, null, null)
        : account.unblock(session, id, null)
      yield* print({ id, login, status: answer.status }, `user ${id} ${login} is ${answer.status}`)
    }, onStores)
  ).pipe(
    Command.withDescription(
      name === "block"
        ? "Block a user: ends their sessions immediately and removes them from open appeals"
        : "Unblock a user"
    ),
    Command.withExamples([{ command: `rapport user ${name} olena` }])
  )

const password = Command.make(
  "password",
  { login, passwordFile },
  Effect.fnUntraced(function* (flags) {
    const sql = yield* SqlClient.SqlClient
    const store = yield* UserStore
    const { id, instanceId, login } = yield* findUser(flags.login)
    const { password, shown } = yield* passwordOf(flags.passwordFile)
    const hash = yield* (yield* Passwords).hash(password)
    const session = systemSession(instanceId)
    const endedTokens = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* store.setPassword(session, id, hash)
        yield* store.endSessions(session, id, null)
        return yield* store.endTokens(session, id)
      })
    )
    const text = [
      `user ${id} ${login} has a new password and is logged out everywhere; external tokens deleted: ${endedTokens}`,
      ...shownOnce(shown)
    ].join("\n")
    yield* print({ id, login, password: shown, endedTokens }, text)
  }, onStores)
).pipe(
  Command.withDescription("Set the password of a user, which ends all their sessions and external tokens"),
  Command.withExamples([
    { command: "rapport user password administrator", description: "Locked out: a generated one, shown once" }
  ])
)

export const userCommand = Command.make("user").pipe(
  Command.withDescription("Create, list and block users, set their passwords"),
  Command.withSubcommands([create, list, makeSwitchCommand("block"), makeSwitchCommand("unblock"), password])
)
