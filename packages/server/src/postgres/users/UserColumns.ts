// The JSON of a user in responses, as SQL (contract §9).
import { User } from "@rapport/contract/users/User.ts"
import { Schema } from "effect"
import { columnsOf, recordJson } from "../sql/Columns.ts"

export const displayName = (user: string): string =>
  `concat_ws(' ', nullif(${user}.first_name, ''), nullif(${user}.last_name, ''))`

/** Columns of `users` and `user_access`, by their names in the statement. */
export const userColumns = (user: string, access: string) =>
  columnsOf(user, User.fields, {
    login: { folded: true },
    email: { folded: true },
    displayName: { sql: displayName(user) },
    skillGroupIds: { sql: `${access}.skill_group_ids` }
  })

/** SQL over `users account` and `user_access m`. */
export const userJson = recordJson(userColumns("account", "m"), Object.keys(User.fields))

export const UserFromJson = Schema.toCodecJson(User)
