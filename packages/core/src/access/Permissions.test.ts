import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { anySession } from "../testing/SessionFixtures.ts"
import { Permissions } from "./Permissions.ts"

it.effect("a grant of permissions that the caller lacks names them", () =>
  Effect.gen(function* () {
    const session = anySession({ permissions: new Set(["chats.read"]) })
    const refused = Permissions.requireAll(session, ["chats.read", "users.manage", "audit.read"])
    assert.strictEqual(
      (yield* Effect.flip(refused)).detail,
      "you do not hold users.manage, audit.read yourself"
    )
  })
)
