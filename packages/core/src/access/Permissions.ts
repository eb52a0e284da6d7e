// Checks the permission of a route. The database decides which records are visible.
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import { AccessDenied } from "@rapport/contract/Errors.ts"
import { Context, Effect, Layer } from "effect"

interface Checking {
  /** Without the permission of a route the error is AccessDenied for every record (contract §1.1, 404). */
  readonly require: (session: AuthorizedSession, permission: Permission) => Effect.Effect<void, AccessDenied>
  /** The same for a route of several kinds of records: one of the permissions is enough. */
  readonly requireAny: (
    session: AuthorizedSession,
    permissions: ReadonlyArray<Permission>
  ) => Effect.Effect<void, AccessDenied>
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
  requireAny: (session, permissions) =>
    permissions.some((permission) => session.permissions.has(permission))
      ? Effect.void
      : Effect.fail(
          new AccessDenied({ detail: `this needs one of the permissions ${permissions.join(", ")}` })
        ),
  requireAll: (session, granted) => {
    const lacking = granted.filter((permission) => !session.permissions.has(permission))
    return lacking.length === 0
      ? Effect.void
      : Effect.fail(new AccessDenied({ detail: `you do not hold ${lacking.join(", ")} yourself` }))
  }
}

/** The permission checker, replaceable by a layer. The default implements the contract. */
export const PermissionChecker = Context.Reference<Checking>("core/access/PermissionChecker", {
  defaultValue: () => checking
})

/** Calls the checker of the fiber. */
export const Permissions: Checking & { readonly layer: Layer.Layer<never> } = {
  require: (session, permission) =>
    Effect.flatMap(PermissionChecker, (checker) => checker.require(session, permission)),
  requireAny: (session, permissions) =>
    Effect.flatMap(PermissionChecker, (checker) => checker.requireAny(session, permissions)),
  requireAll: (session, granted) =>
    Effect.flatMap(PermissionChecker, (checker) => checker.requireAll(session, granted)),
  layer: Layer.succeed(PermissionChecker, checking)
}
