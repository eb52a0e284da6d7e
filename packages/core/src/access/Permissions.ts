// Checks permissions of a session, which the Authenticator read from the database for this request. Statements check them again with
// `holds` where access may change meanwhile. Both follow the roles of contract/Authorization.ts.
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import { AccessDenied } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"

type Check = Effect.Effect<void, AccessDenied>

const denyUnless = (isAllowed: boolean, detail: string): Check =>
  isAllowed ? Effect.void : Effect.fail(new AccessDenied({ detail }))

export const Permissions = {
  /** Without the permission of a route the error is AccessDenied for every record (contract §1.1, 404). */
  require: ({ permissions }: AuthorizedSession, permission: Permission): Check =>
    denyUnless(permissions.has(permission), `this needs the permission ${permission}`),
  /** The same for a route of several kinds of records: one of the permissions is enough. */
  requireAny: ({ permissions }: AuthorizedSession, some: ReadonlyArray<Permission>): Check =>
    denyUnless(
      some.some((permission) => permissions.has(permission)),
      `this needs one of the permissions ${some.join(", ")}`
    ),
  /** A caller cannot grant a right they lack (contract §2). */
  requireAll: ({ permissions }: AuthorizedSession, granted: ReadonlyArray<Permission>): Check => {
    const lacking = granted.filter((permission) => !permissions.has(permission))
    return denyUnless(lacking.length === 0, `you do not hold ${lacking.join(", ")} yourself`)
  }
}
