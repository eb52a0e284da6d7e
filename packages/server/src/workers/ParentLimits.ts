// The limits of a worker, counted by its parent for all workers and borrowed from it (Borrowed.ts). A parent that does not answer
// in time is not waited for: the worker then counts by itself, as where Redis is away.
import type { TrafficLimits } from "@rapport/contract/Limits.ts"
import { FailedLogins, type ReservedLogin } from "@rapport/core/access/FailedLogins.ts"
import {
  ConcurrencyLimit,
  type Taken,
  takeHere,
  type Quota,
  RateLimit,
  refusalCounted
} from "@rapport/core/traffic/RateLimits.ts"
import { Context, Effect, Layer, Schema } from "effect"
import { LOGIN_POLL_MILLIS } from "../redis/RedisLimits.ts"
import type { Borrowed } from "./Borrowed.ts"
import type { ProcessChannel } from "./Channel.ts"
import { LoginAnswer, type WorkerAsk, type WorkerNote } from "./Messages.ts"
import { PARENT_ANSWER_MILLIS_MAX } from "./WorkerLimits.ts"

const decodeLogin = Schema.decodeUnknownEffect(LoginAnswer)

/** Places are asked for where nothing interrupts, but for the deadline. */
const inTime = <A, E, R>(asked: Effect.Effect<A, E, R>) =>
  Effect.timeout(Effect.interruptible(asked), PARENT_ANSWER_MILLIS_MAX)

/** What the parent lends. `borrow` asks for it; its result ends that, also where the answer has come and finds nobody. */
const lent = <A>(borrow: (settle: (answer: A) => void) => () => void) =>
  Effect.suspend(() => {
    let leave: (() => void) | undefined
    return inTime(
      Effect.callback<A>((resume) => {
        leave = borrow((answer) => resume(Effect.succeed(answer)))
      })
    ).pipe(Effect.onError(() => Effect.sync(() => leave?.())))
  })

const reserved = (channel: ProcessChannel, id: number): ReservedLogin => ({
  settle: (failed) => Effect.sync(() => channel.note({ _tag: "Settled", id, failed } satisfies WorkerNote))
})

/** Rates and failed logins; where processes share a Redis, that counts them instead. */
export const ratesLayer = (
  channel: ProcessChannel,
  borrowed: Borrowed,
  limits: TrafficLimits
): Layer.Layer<RateLimit | FailedLogins> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const built = yield* Layer.build(Layer.merge(RateLimit.layer(limits), FailedLogins.layer(limits)))
      const own = { rates: Context.get(built, RateLimit), logins: Context.get(built, FailedLogins) }
      const rates = RateLimit.of({
        take: (limit, key, amount = 1) =>
          Effect.suspend(() => {
            const here = borrowed.takeRate(limit, key, amount)
            if (here !== undefined) return Effect.succeed(here)
            return lent<Quota>((settle) => borrowed.borrowRate(limit, key, amount, settle)).pipe(
              Effect.tap((quota) => refusalCounted(limit, quota)),
              Effect.catch(() => own.rates.take(limit, key, amount))
            )
          })
      })
      const logins = FailedLogins.of({
        reserve: (attempt) =>
          Effect.suspend(() => {
            const id = channel.nextId()
            return channel.ask({ _tag: "Login", ...attempt } satisfies WorkerAsk, id).pipe(
              inTime,
              Effect.flatMap(decodeLogin),
              Effect.map((answer) => (answer === "reserved" ? reserved(channel, id) : answer)),
              Effect.onError(() => reserved(channel, id).settle(false)),
              Effect.catch(() => own.logins.reserve(attempt))
            )
          }),
        // Another worker may have decided one.
        decided: Effect.succeed(Effect.sleep(LOGIN_POLL_MILLIS))
      })
      return Context.make(RateLimit, rates).pipe(Context.add(FailedLogins, logins))
    })
  )

export const placesLayer = (borrowed: Borrowed, limits: TrafficLimits): Layer.Layer<ConcurrencyLimit> =>
  Layer.sync(ConcurrencyLimit, () => {
    const own = takeHere(limits)
    return ConcurrencyLimit.make((places) =>
      Effect.suspend(() => {
        const here = borrowed.takePlaces(places)
        if (here !== undefined) return Effect.succeed(here)
        const asked = lent<Taken>((settle) => borrowed.borrowPlaces(places, settle))
        return Effect.catch(asked, () => own(places))
      })
    )
  })
