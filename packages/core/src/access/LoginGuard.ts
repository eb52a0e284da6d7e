// Failed-login limits, by name and by address: past one, a login is refused before its password is verified.
import { RateLimited } from "@rapport/contract/Errors.ts"
import { LOGINS_CONCURRENT_ADDRESS_MAX, LOGINS_CONCURRENT_MAX } from "@rapport/contract/Limits.ts"
import { Context, Effect, Exit, Layer } from "effect"
import { addressKey } from "./AddressKey.ts"
import { countRefusal } from "../traffic/RateLimits.ts"
import { FailedLogins, type FailedLoginLimits } from "./FailedLogins.ts"

/** Whose password is tried, from where. */
interface Attempt<E, R> {
  /** Made by `loginKeyOf`. */
  readonly loginKey: string
  /** Null: not known, not counted. */
  readonly address: string | null
  /** Whether the address logged in with the name lately: asked only when failures have used up the name. */
  readonly isKnown: Effect.Effect<boolean, E, R>
}

export class LoginGuard extends Context.Service<
  LoginGuard,
  {
    /**
     * Runs `verify` when neither the name nor the address has used up its failures of the last 5 minutes. `verify`
     * succeeds with undefined for a wrong password: that alone counts, and an attempt that was given up midway.
     * Attempts at once are counted exactly: one that could be the failure too many waits until those before it are
     * decided (contract §10). A name that others used up still takes as many failures of each known address
     * (contract §10).
     */
    readonly attempt: <A, E, R, E2, R2>(
      attempt: Attempt<E2, R2>,
      verify: Effect.Effect<A | undefined, E, R>
    ) => Effect.Effect<A | undefined, E | E2 | RateLimited, R | R2>
  }
>()("core/access/LoginGuard") {
  /** Wherever failures are counted. */
  static readonly layerCounted: Layer.Layer<LoginGuard, never, FailedLogins> = Layer.effect(
    LoginGuard,
    Effect.map(FailedLogins, (failedLogins) => LoginGuard.of({ attempt: attemptWith(failedLogins) }))
  )

  /** Counted in this process. */
  static readonly layer = (limits: FailedLoginLimits, keysMax?: number): Layer.Layer<LoginGuard> =>
    LoginGuard.layerCounted.pipe(Layer.provide(FailedLogins.layer(limits, keysMax)))
}

const attemptWith = (failedLogins: FailedLogins["Service"]): LoginGuard["Service"]["attempt"] => {
  const crowd = makeCrowd()

  const admitted = Effect.fnUntraced(function* <E, R>({ address, isKnown, loginKey }: Attempt<E, R>) {
    let known = false
    let isAsked = false
    while (true) {
      const decided = yield* failedLogins.decided
      const reserved = yield* failedLogins.reserve({ loginKey, address, isKnown: known })
      if (typeof reserved === "object") return reserved
      if (reserved === "wait") yield* Effect.interruptible(decided)
      else if (isAsked || address === null) return yield* refused("rate", reserved)
      else {
        isAsked = true
        known = yield* Effect.interruptible(isKnown)
      }
    }
  })

  return (attempt, verify) =>
    crowd(
      attempt.address,
      Effect.acquireUseRelease(
        admitted(attempt),
        () => verify,
        ({ settle }, exit) =>
          settle(Exit.isSuccess(exit) ? exit.value === undefined : Exit.hasInterrupts(exit))
      )
    )
}

/** Attempts that are being judged or wait for it: a bounded number, and a smaller one of each address. */
const makeCrowd = () => {
  const byAddress = new Map<string, number>()
  let atOnce = 0
  return <A, E, R>(
    address: string | null,
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | RateLimited, R> =>
    Effect.suspend((): Effect.Effect<A, E | RateLimited, R> => {
      const key = address === null ? "" : addressKey(address)
      const mine = byAddress.get(key) ?? 0
      if (atOnce >= LOGINS_CONCURRENT_MAX || mine >= LOGINS_CONCURRENT_ADDRESS_MAX)
        return refused("concurrency", 1_000)
      atOnce++
      byAddress.set(key, mine + 1)
      return Effect.ensuring(
        effect,
        Effect.sync(() => {
          atOnce--
          const left = (byAddress.get(key) ?? 1) - 1
          if (left === 0) byAddress.delete(key)
          else byAddress.set(key, left)
        })
      )
    })
}

const refused = (kind: "rate" | "concurrency", retryAfterMs: number) =>
  Effect.andThen(
    kind === "rate" ? countRefusal("FAILED_LOGINS_PER_5_MINUTES") : Effect.void,
    Effect.fail(
      new RateLimited({
        detail: "too many failed logins: try again later",
        limit: { kind, retryAfterMs: Math.max(1, Math.ceil(retryAfterMs)) }
      })
    )
  )
