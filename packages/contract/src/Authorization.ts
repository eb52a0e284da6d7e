// Roles, permissions, the session of a request, and both schemes of authentication (contract §2). `pnpm run openapi` writes the
// table of permissions into docs/contract/2-access.md.
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
  /** Read context packs. */
  "context.read": [a, s, o, l, i, q, p],
  /** Write actions, state and sessions. */
  "context.write": [a, o, i],
  /** Write import batches, and read all batches of the instance. */
  "imports.write": [a, i],
  /** Read chats. */
  "chats.read": [a, s, o, l, i, q, p],
  /** Read tickets. */
  "tickets.read": [a, s, o, l, i, q, p],
  /** Create and change chats, and write messages. */
  "chats.manage": [a, s, o, i],
  /** Create and change tickets, and write messages. */
  "tickets.manage": [a, s, o, i],
  /** Create chats and tickets with past times, a status and messages. */
  "appeals.import": [a, i],
  /** Read clients. */
  "clients.read": [a, s, i],
  /** Create, change and merge clients. */
  "clients.manage": [a, s, o, i],
  /** Export and erase the personal data of clients. */
  "clients.erase": [a],
  /** Read users, subjects, skill groups and property definitions. */
  "directory.read": [a, s, o, l, i, n, q, p],
  /** Change subjects, skill groups and property definitions. */
  "directory.manage": [a, i],
  /** Create, change and block users. */
  "users.manage": [a],
  /** Send messages through call_node. */
  "scenarios.call": [a, s, i],
  /** Change bots, nodes and connectors. */
  "scenarios.manage": [a, i],
  /** Read broadcasts. */
  "broadcasts.read": [a, s, i, n],
  /** Change, start and cancel broadcasts. */
  "broadcasts.manage": [a, s, i],
  /** Read records and models of custom data. */
  "records.read": [a, s, o, l, i],
  /** Change records of custom data. */
  "records.manage": [a, s, o, i],
  /** Change models of custom data. */
  "records.models": [a, i],
  /** Read statistics. */
  "statistics.read": [a, s, i, n, q],
  /** Read quality. Operators read only their own assessments. */
  "quality.read": [a, s, o, n, q, p],
  /** Write assessments. */
  "quality.assess": [a, q, p],
  /** Change criteria and checklists, and resolve disputes. */
  "quality.manage": [a, q],
  /** Create and delete external tokens. Only administrators see the tokens of others. */
  "tokens.manage": [a, i],
  /** Read the audit log. */
  "audit.read": [a]
} as const satisfies Record<string, ReadonlyArray<Role>>

export type Permission = keyof typeof rolesHolding
export const permissions = Object.keys(rolesHolding) as ReadonlyArray<Permission>
export const Permission = Schema.Literals(permissions).annotate({ identifier: "Permission" })

/** Every permission that one of the roles holds, in the order of the table. */
export const permissionsOf = (roles: ReadonlyArray<string>): ReadonlyArray<Permission> =>
  permissions.filter((permission) => rolesHolding[permission].some((role) => roles.includes(role)))

/** Roles that see every record of their instance (contract §2, visibility). */
export const rolesSeeingAll: ReadonlyArray<Role> = [a, i]
/** Roles that see every closed appeal of their instance. */
export const rolesSeeingClosed: ReadonlyArray<Role> = [q, p]
/** Roles whose statistics count the whole instance, though they do not see all of its records (contract §9.3). */
export const rolesCountingAll: ReadonlyArray<Role> = [a, i, n, q]
/** Roles that see every assessment of their instance (contract §9.4). */
export const rolesSeeingAssessments: ReadonlyArray<Role> = [a, n, q, p]

/**
 * The caller with their current rights (contract §2). A user has `sessionId`. An external token has `tokenId`; its `userId` is
 * the user that it acts as, else its maker, and `permissions` are those of the token that both still hold. `colleagueIds`
 * include the user.
 */
export interface AuthorizedSession {
  readonly instanceId: number
  readonly userId: number
  readonly sessionId: string | null
  readonly tokenId: number | null
  /** Records and properties are visible as to the user. False: an external token that sees all records. */
  readonly seesAsUser: boolean
  readonly roles: ReadonlyArray<Role>
  readonly permissions: ReadonlySet<Permission>
  readonly skillGroupIds: ReadonlyArray<number>
  readonly subjectIds: ReadonlyArray<number>
  readonly colleagueIds: ReadonlyArray<number>
}

/** The session of the current request. */
export class CurrentSession extends Context.Service<CurrentSession, AuthorizedSession>()(
  "rapport/CurrentSession"
) {}

/** The key of the principal, by which limits and receipts are counted: a user with all sessions, or an external token. */
export const principalKey = ({
  instanceId,
  tokenId,
  userId
}: Pick<AuthorizedSession, "instanceId" | "tokenId" | "userId">): string =>
  tokenId === null ? `${instanceId}/user/${userId}` : `${instanceId}/token/${tokenId}`

/** Authenticates before anything else: 401, or 503 if the database is unavailable. Either scheme suffices. */
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
