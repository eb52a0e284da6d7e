// Who a caller is and what they may do: the table of roles and permissions, the session of a request, and both schemes of authentication
// (contract §2).
import { Context, Schema } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { SearchUnavailable, Unauthenticated } from "./Errors.ts"

export const roles = [
  "administrator",
  "supervisor",
  "operator",
  "light_agent",
  "integrator",
  "analyst",
  "qa_lead",
  "qa_specialist"
] as const
export const Role = Schema.Literals(roles).annotate({ identifier: "Role" })
export type Role = typeof Role.Type

const a = "administrator"
const s = "supervisor"
const o = "operator"
const l = "light_agent"
const i = "integrator"
const n = "analyst"
const q = "qa_lead"
const p = "qa_specialist"

/** Permission → the roles that hold it. */
export const rolesHolding = {
  "context.read": [a, s, o, l, i, q, p],
  "context.write": [a, o, i],
  "imports.write": [a, i],
  "chats.read": [a, s, o, l, i, q, p],
  "tickets.read": [a, s, o, l, i, q, p],
  "chats.manage": [a, s, o, i],
  "tickets.manage": [a, s, o, i],
  "appeals.import": [a, i],
  "clients.read": [a, s, i],
  "clients.manage": [a, s, o, i],
  "clients.erase": [a],
  "directory.read": [a, s, o, l, i, n, q, p],
  "directory.manage": [a, i],
  "users.manage": [a],
  "scenarios.call": [a, s, i],
  "scenarios.manage": [a, i],
  "broadcasts.read": [a, s, i, n],
  "broadcasts.manage": [a, s, i],
  "records.read": [a, s, o, l, i],
  "records.manage": [a, s, o, i],
  "records.models": [a, i],
  "statistics.read": [a, s, i, n, q],
  "quality.read": [a, s, o, n, q, p],
  "quality.assess": [a, q, p],
  "quality.manage": [a, q],
  "tokens.manage": [a, i],
  "audit.read": [a]
} as const satisfies Record<string, ReadonlyArray<Role>>

export type Permission = keyof typeof rolesHolding
export const permissions = Object.keys(rolesHolding) as ReadonlyArray<Permission>
export const Permission = Schema.Literals(permissions).annotate({ identifier: "Permission" })

/** The union of what the roles hold, in the order of the table. */
export const permissionsOf = (held: ReadonlyArray<string>): ReadonlyArray<Permission> =>
  permissions.filter((permission) => rolesHolding[permission].some((role) => held.includes(role)))

/** Roles that see every record of their instance (contract §2, visibility). */
export const rolesSeeingAll: ReadonlyArray<Role> = [a, i]
/** Roles that see every closed appeal of their instance. */
export const rolesSeeingClosed: ReadonlyArray<Role> = [q, p]
/** Roles whose statistics count the whole instance, though they do not see all of its records (contract §9.3). */
export const rolesCountingAll: ReadonlyArray<Role> = [a, i, n, q]
/** Roles that see every assessment of their instance (contract §9.4). */
export const rolesSeeingAssessments: ReadonlyArray<Role> = [a, n, q, p]

/**
 * Who asks, with the rights of this moment: a user in a session (`sessionId`), or an external token (`tokenId`), whose
 * `userId` is its maker. `permissions` of a token are its list cut to its maker's present ones; `roles`, groups,
 * subjects and colleagues (members of common groups, oneself included) are the user's (contract §2).
 */
export interface AuthorizedSession {
  readonly instanceId: number
  readonly userId: number
  readonly sessionId: string | null
  readonly tokenId: number | null
  readonly roles: ReadonlyArray<Role>
  readonly permissions: ReadonlySet<Permission>
  readonly skillGroupIds: ReadonlyArray<number>
  readonly subjectIds: ReadonlyArray<number>
  readonly colleagueIds: ReadonlyArray<number>
}

/** The session of the request that is being answered. */
export class CurrentSession extends Context.Service<CurrentSession, AuthorizedSession>()(
  "rapport/CurrentSession"
) {}

/**
 * One text per principal, which limits and receipts are counted by: all sessions of a user are one, an external token is
 * one of its own (contract §10).
 */
export const principalKey = ({
  instanceId,
  tokenId,
  userId
}: Pick<AuthorizedSession, "instanceId" | "tokenId" | "userId">): string =>
  tokenId === null ? `${instanceId}/user/${userId}` : `${instanceId}/token/${tokenId}`

/** Runs before everything else: 401, or 503 if the database is needed and unavailable. Either scheme suffices. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentSession }>()(
  "rapport/Authorization",
  {
    requiredForClient: true,
    error: [Unauthenticated, SearchUnavailable],
    security: {
      bearer: HttpApiSecurity.bearer,
      externalToken: HttpApiSecurity.apiKey({ key: "x-auth-token", in: "header" })
    }
  }
) {}
