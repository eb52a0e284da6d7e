// Finds the entity of a scope by a key instead of its id (contract §3.1, "The entity").
import type { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import { AMBIGUOUS_IDS_MAX } from "@rapport/contract/Limits.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import { emailForm } from "@rapport/core/clients/Contacts.ts"
import type { Statement } from "effect/sql"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { callerOf, openedEntities } from "../sql/Visibility.ts"

type Scope = ContextRequest["scope"]

/**
 * A hidden match returns the same rows as no match. The phone of the scope is in its normal form.
 */
export const findStatement = (sql: Sql, caller: Caller, scope: Scope): Statement.Statement<unknown> =>
  sql`with ${callerOf(caller)},
    matching as materialized (${matches(caller.instanceId, scope)}),
    opened as (${openedEntities(scope.entity, sql`= any(array(select id from matching))`)})
    select id::float8 as id from opened order by id limit ${sql.literal(String(AMBIGUOUS_IDS_MAX))}`

/** Selects all ids of the instance with the key, visible or not. */
const matches = (instanceId: number, scope: Scope): Fragment => {
  switch (scope.entity) {
    case "client":
      return clients(instanceId, scope)
    case "subject":
      return sql`select id from subjects where instance_id = ${instanceId}
        and fold_text(${scope.name}) in (fold_text(name), fold_text(alias))`
    case "skill_group":
      return sql`select id from skill_groups where instance_id = ${instanceId} and fold_text(name) = fold_text(${scope.name})`
    case "operator":
      return scope.login === undefined
        ? sql`select id from users where instance_id = ${instanceId} and fold_text(${scope.name})
            in (fold_text(concat_ws(' ', first_name, last_name)), fold_text(concat_ws(' ', last_name, first_name)))`
        : sql`select id from users where instance_id = ${instanceId} and fold_text(login) = fold_text(${scope.login})`
  }
}

/** A merge gives the phones and e-mail addresses of both clients to the survivor. */
const clients = (instanceId: number, { email, externalId, identity, phone }: Scope): Fragment => {
  if (identity !== undefined)
    return sql`select client_id as id from client_identities where instance_id = ${instanceId}
      and channel = ${identity.channel} and chat_id = ${identity.chatId}`
  if (externalId !== undefined)
    return sql`select id from clients where instance_id = ${instanceId} and external_id = ${externalId}`
  const [kind, form] = email === undefined ? ["phone", phone] : ["email", emailForm(email)]
  return sql`select client_id as id from client_contacts where instance_id = ${instanceId} and kind = ${kind}
    and normal_form = ${form}`
}
