// The question whether a session may do what a route does at all; which records it sees is answered by the database.
import type { Permission } from "@rapport/contract/access/Permission.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { AccessDenied } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"

export const Permissions = {
  /** Lacking the permission of a route is AccessDenied whatever the record (docs/contract.md §1.1, 404). */
  require: (session: AuthorizedSession, permission: Permission): Effect.Effect<void, AccessDenied> =>
    session.permissions.has(permission)
      ? Effect.void
      : Effect.fail(new AccessDenied({ detail: `this needs the permission ${permission}` })),

  /** A caller cannot grant a right they lack (docs/contract.md §2). */
  requireAll: (
    session: AuthorizedSession,
    granted: ReadonlyArray<Permission>
  ): Effect.Effect<void, AccessDenied> => {
    const lacking = granted.filter((permission) => !session.permissions.has(permission))
    return lacking.length === 0
      ? Effect.void
      : Effect.fail(new AccessDenied({ detail: `you do not hold ${lacking.join(", ")} yourself` }))
  }
}
