import { assert, it } from "@effect/vitest"
import { permissionsOf } from "@rapport/contract/Authorization.ts"
import { AccessDenied } from "@rapport/contract/Errors.ts"
import { Effect, Layer } from "effect"
import { Receipts } from "../receipts/Receipts.ts"
import { SlaStore } from "../statistics/SlaStore.ts"
import { SlaTargets } from "../statistics/SlaTargets.ts"
import { PermissionChecker, Permissions } from "./Permissions.ts"
import { anySession } from "../testing/SessionFixtures.ts"

const operator = anySession({
  userId: 2,
  roles: ["operator"],
  permissions: new Set(permissionsOf(["operator"]))
})

it.effect("a session has the permissions of its roles and lacks the rest", () =>
  Effect.gen(function* () {
    yield* Permissions.require(operator, "chats.read")
    const refused = yield* Effect.flip(Permissions.require(operator, "users.manage"))
    assert.strictEqual(refused.detail, "this needs the permission users.manage")
    yield* Permissions.requireAny(operator, ["users.manage", "chats.read"])
    const neither = yield* Effect.flip(Permissions.requireAny(operator, ["users.manage", "audit.read"]))
    assert.strictEqual(neither.detail, "this needs one of the permissions users.manage, audit.read")
    const granting = yield* Effect.flip(
      Permissions.requireAll(operator, ["chats.read", "users.manage", "audit.read"])
    )
    assert.strictEqual(granting.detail, "you do not hold users.manage, audit.read yourself")
  }).pipe(Effect.provide(Permissions.layer))
)

it.effect("a use case uses the permission checker of its layer", () =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const closed = Layer.succeed(PermissionChecker, {
      require: (_, permission) =>
        Effect.suspend(() => {
          asked.push(permission)
          return new AccessDenied({ detail: "closed" })
        }),
      requireAny: () => Effect.void,
      requireAll: () => Effect.void
    })
    const targets = yield* SlaTargets
    const refused = yield* Effect.flip(Effect.provide(targets.get(operator, 1), closed))
    assert.deepStrictEqual(
      [refused._tag, refused.detail, asked],
      ["AccessDenied", "closed", ["statistics.read"]]
    )
  }).pipe(
    Effect.provide(
      SlaTargets.layer.pipe(
        Layer.provide([
          Layer.mock(SlaStore, {}),
          Layer.mock(Receipts, { fingerprint: () => Effect.succeed("") })
        ])
      )
    )
  )
)
