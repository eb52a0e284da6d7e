// `rapport token`: creates, lists and revokes external tokens, also while the service runs.
import { ExternalTokenRequest } from "@rapport/contract/access/AccessApi.ts"
import { Permission, permissionsOf } from "@rapport/contract/Authorization.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { OpaqueTokens } from "@rapport/core/access/OpaqueTokens.ts"
import { systemSession } from "@rapport/core/access/SystemSession.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import * as OpaqueTokensRandom from "../access/OpaqueTokens.ts"
import { audit } from "../postgres/sql/Records.ts"
import { insertedId, rowsOf } from "../postgres/sql/Query.ts"
import { onDatabaseWith } from "./CommandDatabase.ts"
import { CommandFailed, WrongUse } from "./Failure.ts"
import { idArgument, optional } from "./Flags.ts"
import { print, table } from "./Output.ts"
import { findUser } from "./UserCommand.ts"

const commandServices = OpaqueTokensRandom.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto))
const onStores = onDatabaseWith(commandServices)

const decodeRequest = Schema.decodeUnknownEffect(ExternalTokenRequest)
const DAY_MILLIS = 86_400_000
/** A hundred years. Without --days a token does not expire. */
const TOKEN_DAYS_MAX = 36_500

const create = Command.make(
  "create",
  {
    user: Flag.String("user").pipe(
      Flag.withDescription(
        "Login of the maker, who must have tokens.manage and every permission of the token"
      )
    ),
    name: Flag.String("name").pipe(
      Flag.withDescription("Name of the token, such as the system that uses it")
    ),
    permission: Flag.Literals("permission", Permission.literals).pipe(
      Flag.withDescription("A permission; repeat the flag for several"),
      Flag.atLeast(1)
    ),
    actsAs: Flag.String("acts-as").pipe(
      Flag.withDescription(
        "Login of the user whose visibility the token has; without it the token sees all records"
      ),
      optional
    ),
    days: Flag.Int("days").pipe(
      Flag.withDescription("Days until the token expires; default: never"),
      optional
    )
  },
  Effect.fnUntraced(function* (flags) {
    const sql = yield* SqlClient.SqlClient
    const user = yield* findUser(flags.user)
    const { days } = flags
    if (days !== undefined && (days < 1 || days > TOKEN_DAYS_MAX))
      return yield* new WrongUse({ message: `--days must be 1 to ${TOKEN_DAYS_MAX}` })
    const now = yield* Clock.currentTimeMillis
    const expiresAt = days === undefined ? null : isoOf(now + days * DAY_MILLIS)
    const { name, permissions } = yield* decodeRequest({
      name: flags.name,
      permissions: [...new Set(flags.permission)]
    }).pipe(
      Effect.mapError(({ message }) => new WrongUse({ message: message.replaceAll(/\s*\n\s*/gu, " ") }))
    )
    yield* requireRights(user, [...permissions, "tokens.manage"])
    const actsAs = flags.actsAs === undefined ? undefined : yield* findUser(flags.actsAs)
    if (actsAs !== undefined) {
      yield* requireRights(actsAs, permissions)
      if (actsAs.instanceId !== user.instanceId)
        return yield* new WrongUse({
          message: `${actsAs.login} and ${user.login} are users of different instances`
        })
      if (permissions.includes("tokens.manage"))
        return yield* new WrongUse({ message: "--permission tokens.manage cannot be given with --acts-as" })
    }
    const { hash, prefix, token } = yield* (yield* OpaqueTokens).makeExternal
    const id = yield* sql.withTransaction(
      Effect.gen(function* () {
        const id =
          yield* insertedId(sql`insert into external_tokens (instance_id, user_id, acts_as, name, prefix, hash, permissions, expires_at)
              values (${user.instanceId}, ${user.id}, ${actsAs?.id ?? null}::int8, ${name}, ${prefix}, ${hash}::bytea, ${permissions}::text[],
                ${expiresAt}::timestamptz) returning id::float8 as id`)
        const details = { prefix, permissions, userId: user.id, actsAs: actsAs?.id ?? null }
        yield* audit(sql, systemSession(user.instanceId), {
          action: "external_token.create",
          id,
          details
        })
        return id
      })
    )
    yield* print(
      { id, user: user.login, actsAs: actsAs?.login ?? null, name, permissions, expiresAt, token },
      `token ${id} of ${user.login} is created${expiresAt === null ? "" : `, until ${expiresAt}`}\ntoken, shown this once: ${token}`
    )
  }, onStores)
).pipe(
  Command.withDescription(
    "Create an external token of a user. It is shown once; send it as the header x-auth-token"
  ),
  Command.withExamples([
    {
      command:
        "rapport token create --user integrator --name CRM --permission context.read --permission context.write --days 90"
    },
    {
      command:
        "rapport token create --user administrator --acts-as operator --name copilot --permission context.read",
      description: "For the copilot of an operator: it sees what that operator sees"
    }
  ])
)

const requireRights = Effect.fnUntraced(function* (
  user: Effect.Success<ReturnType<typeof findUser>>,
  permissions: ReadonlyArray<Permission>
) {
  const held = permissionsOf(user.roles)
  const lacking = permissions.filter((permission) => !held.includes(permission))
  if (user.status === "active" && lacking.length === 0) return
  const reason = user.status === "active" ? `lacks ${lacking.join(", ")}` : `is ${user.status}`
  return yield* new WrongUse({ message: `the user ${user.login} ${reason}: the token would not work` })
})

const Listed = Schema.Struct({
  id: Schema.Int,
  instanceId: Schema.Int,
  user: Schema.String,
  name: Schema.String,
  prefix: Schema.String,
  permissions: Schema.Array(Schema.String),
  expiresAt: Schema.NullOr(Schema.Date),
  lastUsedAt: Schema.NullOr(Schema.Date)
})
const listedRows = rowsOf(Listed)

/** External tokens that are not revoked. */
export const findTokens = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* listedRows.all(sql`select t.id::float8 as id, t.instance_id::float8 as "instanceId", u.login as user,
          t.name, t.prefix, t.permissions, t.expires_at as "expiresAt", t.last_used_at as "lastUsedAt"
        from external_tokens t join users u on u.instance_id = t.instance_id and u.id = t.user_id
        where t.deleted_at is null order by t.instance_id, t.id`)
})

export const tokensTable = (tokens: ReadonlyArray<typeof Listed.Type>): string =>
  table(
    ["ID", "INSTANCE", "USER", "PREFIX", "EXPIRES", "LAST USED", "NAME"],
    tokens.map((t) => [t.id, t.instanceId, t.user, t.prefix, t.expiresAt, t.lastUsedAt, t.name]),
    "there are no external tokens"
  )

const list = Command.make(
  "list",
  {},
  Effect.fnUntraced(function* () {
    const tokens = yield* findTokens
    yield* print(tokens, tokensTable(tokens))
  }, onStores)
).pipe(Command.withDescription("List the external tokens, without their secrets"))

const revokedRows = rowsOf(Schema.Struct({ id: Schema.Int, instanceId: Schema.Int }))

const revoke = Command.make(
  "revoke",
  { id: idArgument("Id of the token") },
  Effect.fnUntraced(function* (flags) {
    const sql = yield* SqlClient.SqlClient
    const revoked = yield* sql.withTransaction(
      Effect.gen(function* () {
        const revoked = yield* revokedRows.all(sql`update external_tokens set deleted_at = now()
              where deleted_at is null and (id = ${flags.id} or ancestor_ids @> array[${flags.id}::int8])
              returning id::float8 as id, instance_id::float8 as "instanceId"`)
        for (const { id, instanceId } of revoked)
          yield* audit(sql, systemSession(instanceId), { action: "external_token.delete", id })
        return revoked
      })
    )
    if (revoked.length === 0)
      return yield* new CommandFailed({
        message: `there is no token ${flags.id}: "rapport token list" shows them`
      })
    const ids = revoked.map(({ id }) => id)
    yield* print({ ids }, `revoked, with the tokens that were created with it: ${ids.join(", ")}`)
  }, onStores)
).pipe(Command.withDescription("Revoke an external token and the tokens that were created with it"))

export const tokenCommand = Command.make("token").pipe(
  Command.withDescription("Create, list and revoke external tokens"),
  Command.withSubcommands([create, list, revoke])
)
