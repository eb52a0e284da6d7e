// A user of an instance (contract §9).
import { Schema } from "effect"
import { Role } from "../Authorization.ts"
import { PositiveInt } from "../values/Ids.ts"
import { Time } from "../values/Time.ts"

export const UserStatus = Schema.Literals(["active", "blocked", "invited"])
export const Presence = Schema.Literals(["online", "away", "offline"])

/**
 * Times are epoch milliseconds in the program. `displayName` is first and last name. `login` and `email` are null for callers
 * who may not see them (`seesLogins`).
 */
export const User = Schema.Struct({
  id: PositiveInt,
  login: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  firstName: Schema.String,
  lastName: Schema.String,
  displayName: Schema.String,
  roles: Schema.Array(Role),
  skillGroupIds: Schema.Array(PositiveInt),
  status: UserStatus,
  presence: Presence,
  capacity: Schema.NullOr(Schema.Int),
  language: Schema.NullOr(Schema.String),
  timezone: Schema.NullOr(Schema.String),
  customFields: Schema.Record(Schema.String, Schema.Unknown),
  lastLoginAt: Schema.NullOr(Time),
  createdAt: Time,
  updatedAt: Time,
  version: Schema.Int
}).annotate({ identifier: "User", title: "User" })
export type User = typeof User.Type
