// Login, refresh, logout, who am I, and external tokens (contract §2).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessDenied, RateLimited, SearchUnavailable, StateNotAllowed, Unauthenticated } from "../Errors.ts"
import { RequestBody, SchemaErrors } from "../http/RequestBody.ts"
import { distinct } from "../values/Distinct.ts"
import { pathId, PositiveInt } from "../values/Ids.ts"
import { EXTERNAL_TOKENS_MAX, NAME_POINTS_MAX, PASSWORD_POINTS_MAX, TOKEN_CHARACTERS_MAX } from "../Limits.ts"
import { type Collection, ListedCollection } from "../lists/Collection.ts"
import { operation } from "../documents/Operation.ts"
import { idempotencyErrors } from "../receipts/IdempotencyKey.ts"
import { isVisible, normalTextOf, textOf } from "../values/Checks.ts"
import { Time } from "../values/Time.ts"
import { AnonymousRateLimits } from "../http/RateLimits.ts"
import { User } from "../users/User.ts"
import { NewPassword } from "./NewPassword.ts"
import { Permission } from "../Authorization.ts"
import { creating, deleting, listing } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

export const LoginRequest = Schema.Struct({
  login: textOf(1, NAME_POINTS_MAX),
  password: textOf(1, PASSWORD_POINTS_MAX)
}).annotate({ identifier: "LoginRequest", examples: [{ login: "administrator", password: "rapport-demo" }] })

/** What an invited user becomes active with, once. */
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

/** What login and refresh answer; `expiresIn` and `refreshExpiresIn` are seconds. */
export const TokenPair = Schema.Struct({
  tokenType: Schema.Literal("Bearer"),
  accessToken: Schema.String,
  expiresIn: Schema.Int,
  refreshToken: Schema.String,
  refreshExpiresIn: Schema.Int,
  user: User
}).annotate({ identifier: "TokenPair" })
export type TokenPair = typeof TokenPair.Type

/** `permissions` are those of this moment, of a token cut to its maker's. */
export const Me = Schema.Struct({
  user: User,
  instanceId: PositiveInt,
  permissions: Schema.Array(Permission)
}).annotate({ identifier: "Me" })
export type Me = typeof Me.Type

/**
 * An external token as it is listed: its secret is never shown again, `prefix` identifies it. `userId` is its maker, `actsAs`
 * the user whose visibility it has, null for a token that sees all records. `lastUsedAt` is a whole minute.
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

/** The one answer that holds the secret; null in a replay. */
export const CreatedExternalToken = Schema.Struct({
  ...ExternalToken.fields,
  token: Schema.NullOr(Schema.String)
}).annotate({ identifier: "CreatedExternalToken" })
export type CreatedExternalToken = typeof CreatedExternalToken.Type

export const ExternalTokenRequest = Schema.Struct({
  name: normalTextOf(1, NAME_POINTS_MAX).check(isVisible),
  permissions: distinct(Permission, {
    minimum: { count: 1, message: "must name at least one permission" }
  }),
  actsAs: Schema.optionalKey(PositiveInt),
  expiresAt: Schema.optionalKey(Time)
}).annotate({
  identifier: "ExternalTokenRequest",
  examples: [
    { name: "CRM", permissions: ["context.read", "chats.read"] },
    { name: "copilot of operator 31", permissions: ["context.read"], actsAs: 31 }
  ]
})

/** The list of external tokens: every scalar member filters and orders (contract §9). */
export const externalTokens: Collection = {
  name: "external-tokens",
  fields: {
    id: { kind: "id" },
    name: { kind: "text" },
    prefix: { kind: "text" },
    permissions: { kind: { values: Permission.literals, several: true } },
    userId: { kind: "id" },
    actsAs: { kind: "id" },
    expiresAt: { kind: "time" },
    lastUsedAt: { kind: "time" },
    createdAt: { kind: "time" }
  },
  members: [
    "id",
    "name",
    "prefix",
    "permissions",
    "userId",
    "actsAs",
    "expiresAt",
    "lastUsedAt",
    "createdAt"
  ],
  includes: [],
  searched: false
}

const root = "/kw/api/v1/auth"

/** What is open: who logs in has no token yet. */
export class LoginApi extends HttpApiGroup.make("login")
  .add(
    HttpApiEndpoint.post("login", `${root}/login`, {
      payload: LoginRequest,
      success: TokenPair,
      error: [Unauthenticated, RateLimited, SearchUnavailable]
    }).pipe(
      operation(
        "Log in",
        "Answers an access token of 900 seconds and a refresh token of 30 days. A wrong password and an unknown name have the same answer in the same time; too many failures of a name or an address are 429 before the password is verified."
      )
    ),
    HttpApiEndpoint.post("acceptInvitation", `${root}/invitations/accept`, {
      payload: InvitationRequest,
      success: TokenPair,
      error: [Unauthenticated, RateLimited, SearchUnavailable]
    }).pipe(
      operation(
        "Accept an invitation",
        "Makes the invited user active with their first password, once, and answers as login does."
      )
    ),
    HttpApiEndpoint.post("refresh", `${root}/refresh`, {
      payload: RefreshRequest,
      success: TokenPair,
      error: [Unauthenticated, SearchUnavailable]
    }).pipe(
      operation(
        "Rotate the refresh token",
        "Spends the refresh token and answers a new pair. A token that was spent before revokes its whole family, access tokens included."
      )
    )
  )
  .middleware(SchemaErrors)
  .middleware(RequestBody)
  .middleware(AnonymousRateLimits)
  .annotateMerge(
    OpenApi.annotations({ title: "Login", description: "How a user gets and keeps a token." })
  ) {}

/** What needs a token of either scheme. */
export class AccessApi extends HttpApiGroup.make("access")
  .add(
    HttpApiEndpoint.post("logout", `${root}/logout`, {
      payload: [LogoutRequest, HttpApiSchema.NoContent],
      success: HttpApiSchema.NoContent,
      error: AccessDenied
    }).pipe(
      operation(
        "Log out",
        "Ends the session of the token, or with everywhere all sessions of the user; their access tokens stop working at once."
      )
    ),
    HttpApiEndpoint.get("me", `${root}/me`, { success: Me }).pipe(
      operation(
        "Who am I",
        "The user of the token (of an external token the user that it acts as, else its maker), and what the token may do now."
      )
    ),
    HttpApiEndpoint.get(
      "listExternalTokens",
      `${root}/external-tokens`,
      listing(externalTokens, ExternalToken, "ExternalTokenList")
    )
      .annotate(ListedCollection, externalTokens)
      .pipe(
        operation(
          "List external tokens",
          "Newest first, without their secrets. Needs tokens.manage; an integrator sees their own only."
        )
      ),
    HttpApiEndpoint.post(
      "createExternalToken",
      `${root}/external-tokens`,
      creating(ExternalTokenRequest, CreatedExternalToken, [
        AccessDenied,
        StateNotAllowed,
        ...idempotencyErrors
      ])
    ).pipe(
      operation(
        "Make an external token",
        `The secret is shown in this answer and never again: a repeat under the same key answers null. Made with an external token it ends no later than that one, and is deleted with it. A maker has at most ${EXTERNAL_TOKENS_MAX} tokens that are neither deleted nor expired. With actsAs it sees what that user sees, never more than its maker, and works only while the user is active. Needs tokens.manage, and every permission that the token shall hold.`
      )
    ),
    HttpApiEndpoint.delete(
      "deleteExternalToken",
      `${root}/external-tokens/:id`,
      deleting({ id: pathId(1) })
    ).pipe(
      operation(
        "Delete an external token",
        "It stops working at once, and so do those that were made with it. Needs tokens.manage."
      )
    )
  )
  .pipe(withSession("Access", "The session of the caller, and external tokens.")) {}
