// A user as every answer shows it, in one JSON value of PostgreSQL (contract §9).
import { User } from "@rapport/contract/users/User.ts"
import { Schema } from "effect"
import type { Column } from "../sql/ListQuery.ts"
import { recordJson } from "../sql/Records.ts"

/** Of `users` and their row of `user_access`, under the names that a statement gives them. */
export const userColumns = (user: string, access: string): Readonly<Record<string, Column>> => ({
  id: { sql: `${user}.id` },
  login: { sql: `${user}.login` },
  email: { sql: `${user}.email` },
  firstName: { sql: `${user}.first_name` },
  lastName: { sql: `${user}.last_name` },
  displayName: {
    sql: `concat_ws(' ', nullif(${user}.first_name, ''), nullif(${user}.last_name, ''))`
  },
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

/** Made from `users account` and its row `user_access m`; `UserFromJson` decodes it. */
export const userJson = recordJson(userColumns("account", "m"), Object.keys(User.fields))

/** From the JSON form, with times as PostgreSQL writes them in UTC. */
export const UserFromJson = Schema.toCodecJson(User)
