// The JSON of a user in responses, as SQL (contract §9).
import { User } from "@rapport/contract/users/User.ts"
import { Schema } from "effect"
import type { Column } from "../sql/ListQuery.ts"
import { recordJson } from "../sql/Records.ts"

export const displayName = (user: string): string =>
  `concat_ws(' ', nullif(${user}.first_name, ''), nullif(${user}.last_name, ''))`

/** Columns of `users` and `user_access`, by their names in the statement. */
export const userColumns = (user: string, access: string): Readonly<Record<string, Column>> => ({
  id: { sql: `${user}.id` },
  login: { sql: `${user}.login` },
  email: { sql: `${user}.email` },
  firstName: { sql: `${user}.first_name` },
  lastName: { sql: `${user}.last_name` },
  displayName: { sql: displayName(user) },
  roles: { sql: `${user}.roles` },
  skillGroupIds: { sql: `${access}.skill_group_ids` },
  status: { sql: `${user}.status` },
  presence: { sql: `${user}.presence` },
  capacity: { sql: `${user}.capacity` },
  language: { sql: `${user}.language` },
  timezone: { sql: `${user}.timezone` },
  customFields: { sql: `${user}.custom_fields` },
  lastLoginAt: { sql: `${user}.last_login_at`, time: true },
  createdAt: { sql: `${user}.created_at`, time: true },
  updatedAt: { sql: `${user}.updated_at`, time: true },
  version: { sql: `${user}.version` }
})

/** SQL over `users account` and `user_access m`. */
export const userJson = recordJson(userColumns("account", "m"), Object.keys(User.fields))

export const UserFromJson = Schema.toCodecJson(User)
