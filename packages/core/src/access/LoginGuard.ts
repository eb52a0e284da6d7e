// Refuses logins above the failed-login limits before their password is verified.
import type { RateLimited } from "@rapport/contract/Errors.ts"
import { LOGINS_CONCURRENT_ADDRESS_MAX, LOGINS_CONCURRENT_MAX } from "@rapport/contract/Limits.ts"
import { Context, Effect, Exit, Layer } from "effect"
import { addressKey } from "./AddressKey.ts"
import { AdmissionStore } from "../traffic/RateLimits.ts"
import { countRefusal, overConcurrency, overRate, refuse } from "../traffic/Refusal.ts"

/** A login attempt. */
interface Attempt<E, R> {
  /** From `loginKeyOf`. */
  readonly loginKey: string
  /** Null: unknown, so it is not counted. */
  readonly address: string | null
  /** Whether the login was used from the address recently. Evaluated only if the limit of the name is used up. */
  readonly isKnown: Effect.Effect<boolean, E, R>
}

export class LoginGuard extends Context.Service<LoginGuard>()("core/access/LoginGuard", {
  make: Effect.gen(function* () {
    const { failedLogins } = yield* AdmissionStore
    const withinLimit = makeAttemptLimit()

    const admitted = Effect.fnUntraced(function* <E, R>({ address, isKnown, loginKey }: Attempt<E, R>) {
      let known = false
      let isChecked = false
      while (true) {
        const decided = yield* failedLogins.decided
        const reserved = yield* failedLogins.reserve({ loginKey, address, isKnown: known })
        if (typeof reserved === "object") return reserved
        if (reserved === "wait") yield* Effect.interruptible(decided)
        else if (isChecked || address === null) return yield* limitReached(reserved)
        else {
          isChecked = true
          known = yield* Effect.interruptible(isKnown)
        }
      }
    })

    return {
      /**
       * Runs `verify` unless the name or the address has used up its failures of the last 5 minutes. `verify` returns undefined
       * for a wrong password, which counts as a failure; so does an interrupted attempt. Concurrent attempts are counted exactly:
       * an attempt that could exceed the limit waits for those before it. If the limit of a name is used up, each known address
       * still has the same number of failures (contract §10).
       */
      attempt: <A, E, R, E2, R2>(attempt: Attempt<E2, R2>, verify: Effect.Effect<A | undefined, E, R>) =>
        withinLimit(
          attempt.address,
          Effect.acquireUseRelease(
            admitted(attempt),
            () => verify,
            ({ settle }, exit) =>
              settle(Exit.isSuccess(exit) ? exit.value === undefined : Exit.hasInterrupts(exit))
          )
        )
    }
  })
}) {
  static readonly layer = Layer.effect(LoginGuard, LoginGuard.make)
}

/** Bounds the concurrent attempts, in total and of each address. */
const makeAttemptLimit = () => {
  const byAddress = new Map<string, number>()
  let running = 0
  return <A, E, R>(
    address: string | null,
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | RateLimited, R> =>
    Effect.suspend((): Effect.Effect<A, E | RateLimited, R> => {
      const key = address === null ? "" : addressKey(address)
      const ofAddress = byAddress.get(key) ?? 0
      if (running >= LOGINS_CONCURRENT_MAX || ofAddress >= LOGINS_CONCURRENT_ADDRESS_MAX)
        return refuse(overConcurrency(TOO_MANY))
      running++
      byAddress.set(key, ofAddress + 1)
      return Effect.ensuring(
        effect,
        Effect.sync(() => {
          running--
          const left = (byAddress.get(key) ?? 1) - 1
          if (left === 0) byAddress.delete(key)
          else byAddress.set(key, left)
        })
      )
    })
}

const TOO_MANY = "too many failed logins: try again later"
const limitReached = (retryAfterMillis: number) =>
  Effect.andThen(countRefusal("FAILED_LOGINS_PER_5_MINUTES"), refuse(overRate(TOO_MANY, retryAfterMillis)))
