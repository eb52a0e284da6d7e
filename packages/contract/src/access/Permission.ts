// What a caller may be allowed to do, and which roles hold it: the table of docs/contract.md §2.
import { Schema } from "effect"

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

/** Roles that see every record of their instance (docs/contract.md §2, visibility). */
export const rolesSeeingAll: ReadonlyArray<Role> = [a, i]
/** Roles that see every closed appeal of their instance. */
export const rolesSeeingClosed: ReadonlyArray<Role> = [q, p]
/** Roles whose statistics count the whole instance, though they do not see all of its records (docs/contract.md §9.3). */
export const rolesCountingAll: ReadonlyArray<Role> = [a, i, n, q]
/** Roles that see every assessment of their instance (docs/contract.md §9.4). */
export const rolesSeeingAssessments: ReadonlyArray<Role> = [a, n, q, p]
