import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { readConfig } from "../Config.ts"
import { refuseDemoLogins } from "./Listening.ts"

const outcomeOf = (environment: Record<string, string>, demoLogins: ReadonlyArray<string> = ["operator"]) =>
  Effect.gen(function* () {
    const { settings } = yield* readConfig(environment, { terminal: false })
    const exit = yield* Effect.exit(refuseDemoLogins(settings, demoLogins))
    return Exit.isSuccess(exit)
      ? "starts"
      : (yield* Effect.flip(refuseDemoLogins(settings, demoLogins))).message
  })

// contract §11: a proxy before loopback publishes the logins as well as an open port.
describe("demo logins", () => {
  const published: ReadonlyArray<readonly [Record<string, string>, string]> = [
    [{ HOST: "0.0.0.0" }, "HOST"],
    [{ RAPPORT_PUBLIC_URL: "https://support.example.com" }, "RAPPORT_PUBLIC_URL"],
    [{ RAPPORT_PUBLIC_URL: "http://10.0.0.7:8080" }, "RAPPORT_PUBLIC_URL"],
    [{ RAPPORT_TRUSTED_PROXIES: "127.0.0.1" }, "RAPPORT_TRUSTED_PROXIES"]
  ]
  for (const [environment, name] of published) {
    it.effect(`demo logins are refused with ${JSON.stringify(environment)}, unless that is allowed`, () =>
      Effect.gen(function* () {
        const refused = yield* outcomeOf(environment)
        assert.isTrue(refused.startsWith(name), refused)
        assert.include(refused, "RAPPORT_ALLOW_DEMO_LOGINS=true")
        assert.strictEqual(yield* outcomeOf({ ...environment, RAPPORT_ALLOW_DEMO_LOGINS: "true" }), "starts")
        assert.strictEqual(yield* outcomeOf(environment, []), "starts")
      })
    )
  }

  it.effect("demo logins are accepted on loopback", () =>
    Effect.gen(function* () {
      for (const url of ["http://127.0.0.1:8080", "http://localhost:9000", "http://[::1]:8080"]) {
        assert.strictEqual(yield* outcomeOf({ RAPPORT_PUBLIC_URL: url }), "starts", url)
      }
      assert.strictEqual(yield* outcomeOf({}), "starts")
    })
  )
})
