// An invitation on a real PostgreSQL: contract §2 (invitations/accept), §9 (users).
import { assert, layer } from "@effect/vitest"
import { Access } from "@rapport/core/access/Access.ts"
import { LoginGuard } from "@rapport/core/access/LoginGuard.ts"
import { AdmissionStore } from "@rapport/core/traffic/RateLimits.ts"
import { TrafficDefaults } from "@rapport/contract/Limits.ts"
import { Denials } from "@rapport/core/audit/Denials.ts"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import * as AccessStorePostgres from "../postgres/access/AccessStorePostgres.ts"
import * as AuditLogPostgres from "../postgres/audit/AuditLogPostgres.ts"
import { Rest, RestFixtures } from "../testing/RestFixtures.ts"
import * as AccessTokens from "./AccessTokens.ts"
import * as OpaqueTokens from "./OpaqueTokens.ts"
import * as PasswordsArgon from "./Password.ts"
import { TokenKeys } from "./TokenKeys.ts"

const access = Access.layer.pipe(
  Layer.provide(Denials.layer),
  Layer.provide([
    AccessTokens.layer,
    OpaqueTokens.layer,
    PasswordsArgon.layer,
    AccessStorePostgres.layer,
    AuditLogPostgres.layer,
    Layer.provide(LoginGuard.layer, AdmissionStore.layer(TrafficDefaults))
  ]),
  Layer.provide(TokenKeys.layer(Redacted.make(Buffer.alloc(32, 5).toString("base64url")))),
  Layer.provide(SecureRandom.layerWebCrypto)
)

layer(Layer.provideMerge(access, RestFixtures))("an invitation", (it) => {
  it.effect("an invitation activates its user once, and one of several concurrent attempts succeeds", () =>
    Effect.gen(function* () {
      const rest = yield* Rest
      const { acceptInvitation, login } = yield* Access
      const admin = yield* rest.user(yield* rest.instance, ["administrator"])
      const made = yield* rest.call(admin, "POST", "/users", {
        login: "invited",
        firstName: "Олена",
        lastName: "К",
        roles: ["operator"]
      })
      const token = made.body.invitationToken
      assert.isTrue(
        yield* Effect.isFailure(Effect.asVoid(login({ login: "invited", password: "a first password" })))
      )
      const answers = yield* Effect.forEach(
        [1, 2, 3],
        () => Effect.result(acceptInvitation({ token, password: "a first password" })),
        { concurrency: 3 }
      )
      assert.deepStrictEqual(answers.map((a) => a._tag).toSorted(), ["Failure", "Failure", "Success"])
      const pair = yield* login({ login: "invited", password: "a first password" })
      assert.deepStrictEqual([pair.user.id, pair.user.status], [made.body.id, "active"])
      for (const wrong of [token, "rpi_nonsense", `${token}x`]) {
        const refused = yield* Effect.flip(acceptInvitation({ token: wrong, password: "another password" }))
        assert.strictEqual(refused._tag, "Unauthenticated")
      }
    })
  )
})
