// The question whether a session may do what a route does at all; which records it sees is answered by the database.
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import { AccessDenied } from "@rapport/contract/Errors.ts"
import { Context, Effect, Layer } from "effect"

interface Checking {
  /** Lacking the permission of a route is AccessDenied whatever the record (contract §1.1, 404). */
  readonly require: (session: AuthorizedSession, permission: Permission) => Effect.Effect<void, AccessDenied>
  /** A caller cannot grant a right they lack (contract §2). */
  readonly requireAll: (
    session: AuthorizedSession,
    granted: ReadonlyArray<Permission>
  ) => Effect.Effect<void, AccessDenied>
}

const checking: Checking = {
  require: (session, permission) =>
    session.permissions.has(permission)
      ? Effect.void
      : Effect.fail(new AccessDenied({ detail: `this needs the permission ${permission}` })),
  requireAll: (session, granted) => {
    const lacking = granted.filter((permission) => !session.permissions.has(permission))
    return lacking.length === 0
      ? Effect.void
      : Effect.fail(new AccessDenied({ detail: `you do not hold ${lacking.join(", ")} yourself` }))
  }
}

/** The service that decides. Where no layer provides another it is that of the contract, so that none can be forgotten. */
export const PermissionChecker = Context.Reference<Checking>("core/access/PermissionChecker", {
  defaultValue: () => checking
})

/** Asks the checker of the fiber. */
export const Permissions: Checking & { readonly layer: Layer.Layer<never> } = {
  require: (session, permission) =>
    Effect.flatMap(PermissionChecker, (checker) => checker.require(session, permission)),
  requireAll: (session, granted) =>
    Effect.flatMap(PermissionChecker, (checker) => checker.requireAll(session, granted)),
  layer: Layer.succeed(PermissionChecker, checking)
}
