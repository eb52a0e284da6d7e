// The error of every adapter, with the deadlines and spans of calls to sources.
import { SearchUnavailable, type UnavailableReason } from "@rapport/contract/Errors.ts"
import { Clock, Data, Effect, Exit, Fiber, References } from "effect"

export type Source = "database" | "context_store" | "search" | "client_memory" | "files"

/** `cause` is only for logs. */
export class SourceUnavailable extends Data.TaggedError("SourceUnavailable")<{
  readonly source: Source
  readonly reason: UnavailableReason
  readonly cause?: unknown
}> {}

/** The 503 of every route for an unavailable source, with the reason but without the cause. */
export const orUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SourceUnavailable> | SearchUnavailable, R> =>
  Effect.mapError(effect, (error) =>
    error instanceof SourceUnavailable
      ? SearchUnavailable.of(error.reason)
      : (error as Exclude<E, SourceUnavailable>)
  )

/** A part of a pack: its value, or why it is unavailable. */
export type PartResult<A> = { readonly _tag: "Available"; readonly value: A } | Unavailable

/** A source or a part that could not be read. */
export interface Unavailable {
  readonly _tag: "Unavailable"
  readonly reason: UnavailableReason
}

export const available = <A>(value: A): PartResult<A> => ({ _tag: "Available", value })
export const unavailable = (reason: UnavailableReason): Unavailable => ({ _tag: "Unavailable", reason })

/** The value of a part that was read. */
export const valueOf = <A, B>(part: PartResult<A> | null, otherwise: B): A | B =>
  part?._tag === "Available" ? part.value : otherwise

/** With `allowPartial` an unavailable source becomes an unavailable part; without it the request fails: 503 SEARCH_UNAVAILABLE and its reason. */
export const attempt =
  (allowPartial: boolean) =>
  <A, R>(part: Effect.Effect<A, SourceUnavailable, R>): Effect.Effect<PartResult<A>, SearchUnavailable, R> =>
    Effect.catch(Effect.map(part, available), ({ reason }) =>
      allowPartial ? Effect.succeed(unavailable(reason)) : Effect.fail(SearchUnavailable.of(reason))
    )

/**
 * If the effect still runs after `millis`, `late` gets the rest of it and decides the result; then the effect is interrupted
 * without waiting for it. Observers instead of `Effect.race`, because every request uses this.
 */
export const whenLate =
  <A, E, A2, E2, R2>(millis: number, late: (rest: Effect.Effect<A, E>) => Effect.Effect<A2, E2, R2>) =>
  <R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | A2, E | E2, R | R2> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) => {
        const abandon = Effect.sync(() => fiber.interruptUnsafe())
        const done = fiber.pollUnsafe()
        if (done !== undefined) return done
        return Effect.flatMap(
          Effect.forkDetach(Effect.sleep(Math.max(0, millis)), { startImmediately: true }),
          (timer) =>
            Effect.callback<A | A2, E | E2, R2>((resume) => {
              fiber.addObserver((exit) => {
                timer.interruptUnsafe()
                resume(exit)
              })
              timer.addObserver((exit) => {
                if (Exit.isSuccess(exit)) resume(Effect.ensuring(late(Fiber.join(fiber)), abandon))
              })
              return Effect.andThen(
                Effect.sync(() => timer.interruptUnsafe()),
                abandon
              )
            }).pipe(restore)
        )
      })
    )

/**
 * Fails after `millis` and interrupts the effect, which cancels its statement or search. The interruption is not awaited, because
 * a hanging database must not delay the answer.
 */
export const abandonAfter =
  <E2>(millis: number, orElse: () => Effect.Effect<never, E2>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    whenLate<A, E, never, E2, never>(millis, orElse)(effect)

/** Fails with reason timeout at this time (epoch milliseconds; Infinity: never). */
export const withDeadline =
  (deadline: number, source: Source) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SourceUnavailable, R> => {
    if (deadline === Infinity) return effect
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      abandonAfter(deadline - now, () => Effect.fail(new SourceUnavailable({ source, reason: "timeout" })))(
        effect
      )
    )
  }

/** Fails with reason timeout after this many milliseconds. */
export const withTimeout =
  (millis: number, source: Source) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SourceUnavailable, R> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => withDeadline(now + millis, source)(effect))

/**
 * `Effect.withSpan` only if tracing is enabled: even a span that is not exported changes the context of the fiber twice.
 */
export const inSpan =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(References.TracerEnabled, (isEnabled) =>
      isEnabled ? Effect.withSpan(effect, name) : effect
    )

/** A function whose effects run in a span of this name. */
export const traceAs =
  (name: string) =>
  <Args extends ReadonlyArray<unknown>, A, E, R>(run: (...args: Args) => Effect.Effect<A, E, R>) =>
  (...args: Args): Effect.Effect<A, E, R> =>
    inSpan(name)(Effect.suspend(() => run(...args)))
