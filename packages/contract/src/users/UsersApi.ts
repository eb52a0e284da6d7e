// Users, their roles and their presence (contract §9).
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { NewPassword } from "../access/NewPassword.ts"
import { Role } from "../Authorization.ts"
import { RateLimited, StateNotAllowed, UniqueConflict } from "../Errors.ts"
import { distinct } from "../values/Distinct.ts"
import { Email, Language, TimeZone } from "../values/Formats.ts"
import { pathId, PositiveInt } from "../values/Ids.ts"
import { integerFrom } from "../values/Numbers.ts"
import { CAPACITY_MAX, PASSWORD_POINTS_MAX } from "../Limits.ts"
import { collectionOf } from "../lists/Collection.ts"
import { emptiable, expectedVersion, FreeObject, IdList, Login, ShortText } from "../values/Members.ts"
import { operation } from "../documents/Operation.ts"
import { idempotencyHeaders } from "../receipts/IdempotencyKey.ts"
import { textOf } from "../values/Checks.ts"
import { Presence, User } from "./User.ts"
import {
  actionRoute,
  updateRoute,
  createRoute,
  listRoute,
  getRoute,
  changeErrors
} from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const Capacity = integerFrom(1, CAPACITY_MAX)

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

/** Only the first answer has the invitation; in a replay it is null. */
export const CreatedUser = Schema.Struct({
  ...User.fields,
  invitationToken: Schema.optionalKey(Schema.NullOr(Schema.String))
}).annotate({ identifier: "CreatedUser" })
export type CreatedUser = typeof CreatedUser.Type

export const UserPatch = Schema.Struct({
  expectedVersion,
  ...Struct.omit(UserRequest.fields, ["password"]),
  login: Schema.optionalKey(Login),
  email: emptiable(Email),
  firstName: Schema.optionalKey(ShortText),
  lastName: Schema.optionalKey(ShortText),
  roles: Schema.optionalKey(distinct(Role)),
  language: emptiable(Language),
  timezone: emptiable(TimeZone),
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

export const users = collectionOf("users", User, { searched: true })

const root = "/kw/api/v1/users"
const params = { id: pathId(31) }
const manage = "Requires users.manage and every permission of the user."

export class UsersApi extends HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("listUsers", root, listRoute(users, User, "UserList")).pipe(
      operation("List users", "Requires directory.read.")
    ),
    HttpApiEndpoint.get("getUser", `${root}/:id`, getRoute(params, User)).pipe(
      operation("Get a user", "The ETag is the version. Requires directory.read.")
    ),
    HttpApiEndpoint.post(
      "createUser",
      root,
      createRoute(UserRequest, CreatedUser, UniqueConflict, RateLimited)
    ).pipe(
      operation(
        "Create a user",
        `A user without a password is invited: invitationToken is shown once and valid for 7 days. ${manage}`
      )
    ),
    HttpApiEndpoint.patch(
      "updateUser",
      `${root}/:id`,
      updateRoute(params, UserPatch, User, UniqueConflict, StateNotAllowed)
    ).pipe(
      operation(
        "Update a user",
        `Permissions change with the user's next request. ${manage} Also requires expectedVersion or If-Match.`
      )
    ),
    HttpApiEndpoint.post(
      "blockUser",
      `${root}/:id/block`,
      actionRoute(params, [BlockRequest, HttpApiSchema.NoContent], User, StateNotAllowed)
    ).pipe(
      operation(
        "Block a user",
        `The user's tokens stop working immediately. Open appeals go to reassignTo, or become unassigned. ${manage}`
      )
    ),
    HttpApiEndpoint.post("unblockUser", `${root}/:id/unblock`, {
      params,
      headers: idempotencyHeaders,
      success: User,
      error: changeErrors
    }).pipe(operation("Unblock a user", `Tokens revoked by the block stay revoked. ${manage}`)),
    HttpApiEndpoint.post(
      "setUserPassword",
      `${root}/:id/password`,
      actionRoute(params, PasswordRequest, HttpApiSchema.NoContent, RateLimited)
    ).pipe(
      operation(
        "Set the password of a user",
        `Users need currentPassword to change their own; a wrong one counts as a failed login. Ends all other sessions of the user. Setting the password of another user also deletes their external tokens. ${manage}`
      )
    ),
    HttpApiEndpoint.post("inviteUser", `${root}/:id/invitation`, {
      // User 36 of the demo is invited; others are active.
      params: { id: pathId(36) },
      headers: idempotencyHeaders,
      success: [CreatedUser.pipe(HttpApiSchema.status(201)), CreatedUser.pipe(HttpApiSchema.status(200))],
      error: [StateNotAllowed, ...changeErrors]
    }).pipe(
      operation(
        "Invite a user again",
        `Returns a new invitationToken, shown once and valid for 7 days. The previous one ends. ${manage}`
      )
    ),
    HttpApiEndpoint.put(
      "setUserPresence",
      `${root}/:id/presence`,
      actionRoute(params, PresenceRequest, User, StateNotAllowed)
    ).pipe(
      operation(
        "Set the presence of a user",
        "Setting one's own presence needs no permission, that of others users.manage."
      )
    )
  )
  .pipe(withSession("Users", "The people who work in the instance.")) {}
