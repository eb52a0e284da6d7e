// Login, refresh, logout, the current user, and external tokens (contract §2).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AccessDenied, RateLimited, SearchUnavailable, StateNotAllowed, Unauthenticated } from "../Errors.ts"
import { distinct } from "../values/Distinct.ts"
import { pathId, PositiveInt } from "../values/Ids.ts"
import { EXTERNAL_TOKENS_MAX, NAME_POINTS_MAX, PASSWORD_POINTS_MAX, TOKEN_CHARACTERS_MAX } from "../Limits.ts"
import { collectionOf } from "../lists/Collection.ts"
import { operation } from "../documents/Operation.ts"
import { isVisible, normalTextOf, textOf } from "../values/Checks.ts"
import { Time } from "../values/Time.ts"
import { AnonymousRateLimits } from "../http/RateLimits.ts"
import { User } from "../users/User.ts"
import { NewPassword } from "./NewPassword.ts"
import { Permission } from "../Authorization.ts"
import { createRoute, deleteRoute, listRoute } from "../lists/RecordRoutes.ts"
import { withChecks, withSession } from "../http/WithSession.ts"

export const LoginRequest = Schema.Struct({
  login: textOf(1, NAME_POINTS_MAX),
  password: textOf(1, PASSWORD_POINTS_MAX)
}).annotate({ identifier: "LoginRequest", examples: [{ login: "administrator", password: "rapport-demo" }] })

/** Activates an invited user, once. */
export const InvitationRequest = Schema.Struct({
  token: textOf(1, TOKEN_CHARACTERS_MAX),
  password: NewPassword
}).annotate({
  identifier: "InvitationRequest",
  examples: [{ token: "the invitationToken that was handed over", password: "a long password" }]
})

export const RefreshRequest = Schema.Struct({ refreshToken: textOf(1, TOKEN_CHARACTERS_MAX) }).annotate({
  identifier: "RefreshRequest",
  examples: [{ refreshToken: "the refreshToken of the last answer" }]
})

export const LogoutRequest = Schema.Struct({
  refreshToken: Schema.optionalKey(textOf(1, TOKEN_CHARACTERS_MAX)),
  everywhere: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "LogoutRequest", examples: [{ everywhere: false }] })

/** The answer of login and refresh. `expiresIn` and `refreshExpiresIn` are seconds. */
export const TokenPair = Schema.Struct({
  tokenType: Schema.Literal("Bearer"),
  accessToken: Schema.String,
  expiresIn: Schema.Int,
  refreshToken: Schema.String,
  refreshExpiresIn: Schema.Int,
  user: User
}).annotate({ identifier: "TokenPair" })
export type TokenPair = typeof TokenPair.Type

/** `permissions` are the current ones. Those of an external token are limited to its maker's. */
export const Me = Schema.Struct({
  user: User,
  instanceId: PositiveInt,
  permissions: Schema.Array(Permission)
}).annotate({ identifier: "Me" })
export type Me = typeof Me.Type

/**
 * A listed external token. `prefix` identifies it. `userId` is its maker, `actsAs` the user whose visibility it has, null for a
 * token that sees all records. `lastUsedAt` is a whole minute.
 */
export const ExternalToken = Schema.Struct({
  id: PositiveInt,
  name: Schema.String,
  prefix: Schema.String,
  permissions: Schema.Array(Permission),
  userId: PositiveInt,
  actsAs: Schema.NullOr(PositiveInt),
  expiresAt: Schema.NullOr(Time),
  lastUsedAt: Schema.NullOr(Time),
  createdAt: Time
}).annotate({ identifier: "ExternalToken" })
export type ExternalToken = typeof ExternalToken.Type

/** Only this answer has the token; in a replay it is null. */
export const CreatedExternalToken = Schema.Struct({
  ...ExternalToken.fields,
  token: Schema.NullOr(Schema.String)
}).annotate({ identifier: "CreatedExternalToken" })
export type CreatedExternalToken = typeof CreatedExternalToken.Type

export const ExternalTokenRequest = Schema.Struct({
  name: normalTextOf(1, NAME_POINTS_MAX).check(isVisible),
  permissions: distinct(Permission, { ifEmpty: "must name at least one permission" }),
  actsAs: Schema.optionalKey(PositiveInt),
  expiresAt: Schema.optionalKey(Time)
}).annotate({
  identifier: "ExternalTokenRequest",
  examples: [
    { name: "CRM", permissions: ["context.read", "chats.read"] },
    { name: "copilot of operator 31", permissions: ["context.read"], actsAs: 31 }
  ]
})

/** The list of external tokens. Every scalar member can be filtered and ordered (contract §9). */
export const externalTokens = collectionOf("external-tokens", ExternalToken)

const root = "/kw/api/v1/auth"

/** Routes that need no token. */
export class LoginApi extends HttpApiGroup.make("login")
  .add(
    HttpApiEndpoint.post("login", `${root}/login`, {
      payload: LoginRequest,
      success: TokenPair,
      error: [Unauthenticated, RateLimited, SearchUnavailable]
    }).pipe(
      operation(
        "Log in",
        "Returns an access token (900 seconds) and a refresh token (30 days). A wrong password and an unknown login get the same 401. Too many failed logins of a name or an address are 429."
      )
    ),
    HttpApiEndpoint.post("acceptInvitation", `${root}/invitations/accept`, {
      payload: InvitationRequest,
      success: TokenPair,
      error: [Unauthenticated, RateLimited, SearchUnavailable]
    }).pipe(
      operation(
        "Accept an invitation",
        "Sets the first password of an invited user, who becomes active, and answers like login. An invitation works once."
      )
    ),
    HttpApiEndpoint.post("refreshTokens", `${root}/refresh`, {
      payload: RefreshRequest,
      success: TokenPair,
      error: [Unauthenticated, SearchUnavailable]
    }).pipe(
      operation(
        "Refresh the tokens",
        "Replaces the refresh token and returns a new pair. Using a replaced token again revokes all tokens of the login. Refresh one at a time."
      )
    )
  )
  .pipe(withChecks("Login", "Get and refresh tokens."))
  .middleware(AnonymousRateLimits) {}

/** Routes that need a token of either scheme. */
export class AccessApi extends HttpApiGroup.make("access")
  .add(
    HttpApiEndpoint.post("logout", `${root}/logout`, {
      payload: [LogoutRequest, HttpApiSchema.NoContent],
      success: HttpApiSchema.NoContent,
      error: AccessDenied
    }).pipe(
      operation(
        "Log out",
        "Ends the session of the token, or all sessions of the user with `everywhere`. Access tokens stop working immediately."
      )
    ),
    HttpApiEndpoint.get("getCurrentUser", `${root}/me`, { success: Me }).pipe(
      operation(
        "Get the current user",
        "Returns the user of the token and the current permissions. For an external token this is the user that it acts as, else its maker."
      )
    ),
    HttpApiEndpoint.get(
      "listExternalTokens",
      `${root}/external-tokens`,
      listRoute(externalTokens, ExternalToken, "ExternalTokenList")
    ).pipe(
      operation(
        "List external tokens",
        "Newest first, without secrets. Requires tokens.manage. Users other than administrators see only their own tokens."
      )
    ),
    HttpApiEndpoint.post(
      "createExternalToken",
      `${root}/external-tokens`,
      createRoute(ExternalTokenRequest, CreatedExternalToken, StateNotAllowed)
    ).pipe(
      operation(
        "Create an external token",
        `Only this answer shows the token; a repeat with the same key returns null. A token made with an external token ends no later than that one, and is deleted with it. A user has at most ${EXTERNAL_TOKENS_MAX} valid tokens. With actsAs it sees what that user sees, never more than its maker, and works only while the user is active. Requires tokens.manage and every permission of the new token.`
      )
    ),
    HttpApiEndpoint.delete(
      "deleteExternalToken",
      `${root}/external-tokens/:id`,
      deleteRoute({ id: pathId(1) })
    ).pipe(
      operation(
        "Delete an external token",
        "The token and all tokens made with it stop working immediately. Requires tokens.manage."
      )
    )
  )
  .pipe(withSession("Access", "The current session and external tokens.")) {}
