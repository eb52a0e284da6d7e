// A user as every answer shows him, in one JSON value of PostgreSQL (docs/contract.md §9).
import { User } from "@rapport/contract/users/User.ts"
import { Schema } from "effect"

/** Made from `users u` and his row `user_access m`; `userOf` decodes it. */
export const userJson = `json_build_object('id', u.id, 'login', u.login, 'email', u.email, 'firstName', u.first_name,
  'lastName', u.last_name, 'displayName', concat_ws(' ', nullif(u.first_name, ''), nullif(u.last_name, '')),
  'roles', u.roles, 'skillGroupIds', m.skill_group_ids, 'status', u.status, 'presence', u.presence,
  'capacity', u.capacity, 'language', u.language, 'timezone', u.timezone, 'customFields', u.custom_fields,
  'lastLoginAt', u.last_login_at, 'createdAt', u.created_at, 'updatedAt', u.updated_at, 'version', u.version)`

/** From the JSON form, with times as PostgreSQL writes them in UTC. */
export const UserFromJson = Schema.toCodecJson(User)
