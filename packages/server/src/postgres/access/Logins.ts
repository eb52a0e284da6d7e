// Logins and invitations in PostgreSQL: every change is one conditional statement.
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import { addressKey } from "@rapport/core/access/AddressKey.ts"
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { Effect, Schema } from "effect"
import type { Sql } from "../sql/Fragment.ts"
import { auditedFrom } from "../sql/Records.ts"
import { hasRow, query, rowsOf, valuesOf } from "../sql/Query.ts"
import { UserFromJson, userJson } from "../users/UserColumns.ts"
import { authenticationRead } from "./AuthenticatedSessions.ts"
import { addressStart, refreshEnd } from "./RefreshTokens.ts"

/** Addresses of earlier logins that are kept for each user. */
const LOGIN_ADDRESSES_MAX = 20

type Store = AccessStore["Service"]

const loginRows = rowsOf(
  Schema.Struct({
    instanceId: PositiveInt,
    userId: PositiveInt,
    active: Schema.Boolean,
    passwordHash: Schema.NullOr(Schema.String)
  })
)

/** Of `users u`: what `loginRows` reads. */
const loginColumns = `account.instance_id::float8 as "instanceId", account.id::float8 as "userId", account.status = 'active' as active,
  account.password_hash as "passwordHash"`

const userRows = valuesOf(UserFromJson)

const invited = "status = 'invited' and invitation_expires_at > now()"

export const logins = (sql: Sql) =>
  ({
    findLogin: query("AccessStore.findLogin", (loginKey) =>
      authenticationRead(
        loginRows.find(
          sql`select ${sql.literal(loginColumns)} from users account where fold_text(account.login) = fold_text(${loginKey})`
        )
      )
    ),

    isKnownAddress: query("AccessStore.isKnownAddress", (loginKey, address) =>
      authenticationRead(
        hasRow(sql`select 1 from users account join login_addresses address
        on address.instance_id = account.instance_id and address.user_id = account.id
        where fold_text(account.login) = fold_text(${loginKey}) and address.address = ${address}
          and address.logged_in_at > ${sql.literal(addressStart)}`)
      )
    ),

    rehash: query("AccessStore.rehash", ({ instanceId, passwordHash, userId }, rehashed) =>
      Effect.asVoid(sql`update users set password_hash = ${rehashed}
      where instance_id = ${instanceId} and id = ${userId} and password_hash = ${passwordHash}`)
    ),

    openSession: query("AccessStore.openSession", function* (login, refresh, origin) {
      const { instanceId, userId } = login
      const address = addressKey(origin.address ?? "")
      const entry = auditedFrom("account", {
        ...origin,
        instanceId,
        action: "auth.login",
        actorType: "user",
        actorId: userId,
        entity: "session",
        entityId: refresh.sessionId,
        decision: "allowed",
        details: {}
      })
      return yield* userRows.find(sql`with account as (
        update users set last_login_at = now() where instance_id = ${instanceId} and id = ${userId}
          and status = 'active' and password_hash = ${login.passwordHash} returning *),
      session as (insert into refresh_families (instance_id, id, user_id, current_hash, expires_at)
        select account.instance_id, ${refresh.sessionId}::uuid, account.id, ${refresh.hash}::bytea, ${sql.literal(refreshEnd)} from account),
      latest as (select address.address, row_number() over (order by address.logged_in_at desc) as place
        from login_addresses address where address.instance_id = ${instanceId} and address.user_id = ${userId}
          and address.address <> ${address}),
      evicted_addresses as (delete from login_addresses address using latest, account
        where address.instance_id = account.instance_id
        and address.user_id = account.id and address.address = latest.address and latest.place >= ${LOGIN_ADDRESSES_MAX}),
      login_address as (insert into login_addresses (instance_id, user_id, address)
        select account.instance_id, account.id, ${address} from account where ${origin.address !== null}
        on conflict (instance_id, user_id, address) do update set logged_in_at = excluded.logged_in_at),
      entry as (${entry})
      select ${sql.literal(userJson)} as record from account
      join user_access m on m.instance_id = account.instance_id and m.user_id = account.id`)
    }),

    findUser: query("AccessStore.findUser", (instanceId, userId) =>
      userRows.find(sql`select ${sql.literal(userJson)} as record from users account
      join user_access m on m.instance_id = account.instance_id and m.user_id = account.id
      where account.instance_id = ${instanceId} and account.id = ${userId}`)
    )
  }) satisfies Partial<Store>

export const invitations = (sql: Sql) =>
  ({
    isInvitation: query("AccessStore.isInvitation", (hash) =>
      authenticationRead(
        hasRow(sql`select 1 from users where invitation_hash = ${hash}::bytea and ${sql.literal(invited)}`)
      )
    ),

    acceptInvitation: query("AccessStore.acceptInvitation", function* (hash, passwordHash, origin) {
      const entry = auditedFrom(
        "account",
        {
          ...origin,
          instanceId: 0,
          action: "user.accept",
          actorType: "user",
          actorId: null,
          entity: "user",
          entityId: null,
          decision: "allowed",
          details: {}
        },
        { instanceId: "account.instance_id", actorId: "account.id", entityId: "account.id::text" }
      )
      return yield* loginRows.find(sql`with account as (
        update users set status = 'active', password_hash = ${passwordHash}, invitation_hash = null,
          invitation_expires_at = null, version = version + 1, updated_at = now()
        where invitation_hash = ${hash}::bytea and ${sql.literal(invited)} returning *),
      entry as (${entry})
      select ${sql.literal(loginColumns)} from account`)
    })
  }) satisfies Partial<Store>
