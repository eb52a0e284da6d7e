import { assert, it } from "@effect/vitest"
import { permissionsOf } from "@rapport/contract/Authorization.ts"
import { Effect } from "effect"
import { anySession } from "../testing/SessionFixtures.ts"
import { Permissions } from "./Permissions.ts"

const operator = anySession({
  userId: 2,
  roles: ["operator"],
  permissions: new Set(permissionsOf(["operator"]))
})

it.effect("a session may do only what its roles permit, and the error names what it lacks", () =>
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
  })
)
