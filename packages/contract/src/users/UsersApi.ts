// Users on the wire: who works in the instance, their rights and their presence (contract §9).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { NewPassword } from "../access/NewPassword.ts"
import { Role } from "../Authorization.ts"
import { AccessDenied, RateLimited, StateNotAllowed, UniqueConflict, VersionConflict } from "../Errors.ts"
import { distinct } from "../values/Distinct.ts"
import { Email, Language, TimeZone } from "../values/Formats.ts"
import { pathId, PositiveInt } from "../values/Ids.ts"
import { CAPACITY_MAX, PASSWORD_POINTS_MAX } from "../Limits.ts"
import { type Collection, ListedCollection } from "../lists/Collection.ts"
import { emptiable, expectedVersion, FreeObject, IdList, Login, ShortText } from "../values/Members.ts"
import { operation } from "../documents/Operation.ts"
import { idempotencyErrors, idempotencyHeaders } from "../receipts/IdempotencyKey.ts"
import { textOf } from "../values/Checks.ts"
import { Presence, User, UserStatus } from "./User.ts"
import { acting, changing, creating, listing, reading, refusals } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const Capacity = Schema.Int.annotate({ message: `must be an integer from 1 to ${CAPACITY_MAX}` }).check(
  Schema.isBetween(
    { minimum: 1, maximum: CAPACITY_MAX },
    { message: `must be an integer from 1 to ${CAPACITY_MAX}` }
  )
)

export const UserRequest = Schema.Struct({
  login: Login,
  password: Schema.optionalKey(NewPassword),
  email: Schema.optionalKey(Email),
  firstName: ShortText,
  lastName: ShortText,
  roles: distinct(Role),
  skillGroupIds: Schema.optionalKey(IdList),
  language: Schema.optionalKey(Language),
  timezone: Schema.optionalKey(TimeZone),
  customFields: Schema.optionalKey(FreeObject),
  capacity: Schema.optionalKey(Capacity)
}).annotate({
  identifier: "UserRequest",
  examples: [
    {
      login: "ivan",
      password: "a long password",
      firstName: "Ivan",
      lastName: "Melnyk",
      roles: ["operator"],
      skillGroupIds: [3]
    }
  ]
})
export type UserRequest = typeof UserRequest.Type

/** Only the first answer has the invitation; a replay has null there. */
export const CreatedUser = Schema.Struct({
  ...User.fields,
  invitationToken: Schema.optionalKey(Schema.NullOr(Schema.String))
}).annotate({ identifier: "CreatedUser" })
export type CreatedUser = typeof CreatedUser.Type

export const UserPatch = Schema.Struct({
  expectedVersion,
  login: Schema.optionalKey(Login),
  email: emptiable(Email),
  firstName: Schema.optionalKey(ShortText),
  lastName: Schema.optionalKey(ShortText),
  roles: Schema.optionalKey(distinct(Role)),
  skillGroupIds: Schema.optionalKey(IdList),
  language: emptiable(Language),
  timezone: emptiable(TimeZone),
  customFields: Schema.optionalKey(FreeObject),
  capacity: emptiable(Capacity)
}).annotate({
  identifier: "UserPatch",
  examples: [{ expectedVersion: 1, roles: ["operator", "supervisor"] }]
})
export type UserPatch = typeof UserPatch.Type

export const BlockRequest = Schema.Struct({ reassignTo: Schema.optionalKey(PositiveInt) }).annotate({
  identifier: "BlockRequest",
  examples: [{}]
})
export const PasswordRequest = Schema.Struct({
  password: NewPassword,
  currentPassword: Schema.optionalKey(textOf(1, PASSWORD_POINTS_MAX))
}).annotate({
  identifier: "PasswordRequest",
  examples: [{ password: "another long password", currentPassword: "rapport-demo" }]
})
export const PresenceRequest = Schema.Struct({ presence: Presence }).annotate({
  identifier: "PresenceRequest",
  examples: [{ presence: "online" }]
})

export const users: Collection = {
  name: "users",
  fields: {
    id: { kind: "id" },
    login: { kind: "text" },
    email: { kind: "text" },
    firstName: { kind: "text" },
    lastName: { kind: "text" },
    displayName: { kind: "text" },
    roles: { kind: { values: Role.literals, several: true } },
    skillGroupIds: { kind: "ids" },
    status: { kind: { values: UserStatus.literals } },
    presence: { kind: { values: Presence.literals } },
    capacity: { kind: "integer" },
    language: { kind: "text" },
    timezone: { kind: "text" },
    lastLoginAt: { kind: "time" },
    createdAt: { kind: "time" },
    updatedAt: { kind: "time" },
    version: { kind: "integer" }
  },
  members: Object.keys(User.fields),
  includes: [],
  searched: true
}

const root = "/kw/api/v1/users"
const params = { id: pathId(31) }
const manage = "Needs users.manage, and every right that the user has."

export class UsersApi extends HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("listUsers", root, listing(users, User, "UserList"))
      .annotate(ListedCollection, users)
      .pipe(operation("List users", "Needs directory.read.")),
    HttpApiEndpoint.get("getUser", `${root}/:id`, reading(params, User)).pipe(
      operation("Read a user", "Carries its version as ETag. Needs directory.read.")
    ),
    HttpApiEndpoint.post(
      "createUser",
      root,
      creating(UserRequest, CreatedUser, [AccessDenied, UniqueConflict, RateLimited, ...idempotencyErrors])
    ).pipe(
      operation(
        "Make a user",
        `Without a password they are invited: invitationToken is shown once and good for 7 days. ${manage}`
      )
    ),
    HttpApiEndpoint.patch(
      "updateUser",
      `${root}/:id`,
      changing(params, UserPatch, User, [
        ...refusals,
        UniqueConflict,
        StateNotAllowed,
        VersionConflict,
        ...idempotencyErrors
      ])
    ).pipe(
      operation(
        "Change a user",
        `Rights change with the user's next request. ${manage} And expectedVersion or If-Match.`
      )
    ),
    HttpApiEndpoint.post(
      "blockUser",
      `${root}/:id/block`,
      acting(params, [BlockRequest, HttpApiSchema.NoContent], User, [
        ...refusals,
        StateNotAllowed,
        ...idempotencyErrors
      ])
    ).pipe(
      operation(
        "Block a user",
        `The user's tokens stop working at once; their open appeals go to reassignTo, or lose their operator. ${manage}`
      )
    ),
    HttpApiEndpoint.post("unblockUser", `${root}/:id/unblock`, {
      params,
      headers: idempotencyHeaders,
      success: User,
      error: [...refusals, ...idempotencyErrors]
    }).pipe(operation("Unblock a user", `Tokens from before the block stay revoked. ${manage}`)),
    HttpApiEndpoint.post("setPassword", `${root}/:id/password`, {
      params,
      headers: idempotencyHeaders,
      payload: PasswordRequest,
      success: HttpApiSchema.NoContent,
      error: [...refusals, RateLimited, ...idempotencyErrors]
    }).pipe(
      operation(
        "Set a password",
        `One's own needs currentPassword, also by an external token, and wrong ones count as failed logins. It ends all sessions of the user but the one that does it; another's also deletes the user's external tokens. ${manage}`
      )
    ),
    HttpApiEndpoint.post("inviteUser", `${root}/:id/invitation`, {
      // Of the demo; others were invited once and are active.
      params: { id: pathId(36) },
      headers: idempotencyHeaders,
      success: [CreatedUser.pipe(HttpApiSchema.status(201)), CreatedUser.pipe(HttpApiSchema.status(200))],
      error: [...refusals, StateNotAllowed, ...idempotencyErrors]
    }).pipe(
      operation(
        "Invite a user again",
        `A new invitationToken for an invited user, shown once and good for 7 days; the one before ends. ${manage}`
      )
    ),
    HttpApiEndpoint.put(
      "setPresence",
      `${root}/:id/presence`,
      acting(params, PresenceRequest, User, [...refusals, StateNotAllowed, ...idempotencyErrors])
    ).pipe(operation("Set the presence of a user", "One's own needs no permission, another's users.manage."))
  )
  .pipe(withSession("Users", "Who works in the instance.")) {}
