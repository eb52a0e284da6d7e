// The deadline of authentication on routes whose caller sets a deadline for the answer (contract §3.4).
import { SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Deadline } from "@rapport/contract/http/RequestBody.ts"
import type { NumericLimit } from "@rapport/contract/Limits.ts"
import { whenLate } from "@rapport/core/failures/SourceUnavailable.ts"
import { Clock, Context, Effect, Fiber, Predicate } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"

/** No deadline is shorter than this, so the body is only read if authentication takes longer. */
const DEADLINE_MILLIS_MIN = 40

const millisOf = (bytes: BodyBytes, { maximum, minimum, ...bounds }: NumericLimit): number => {
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes))
    const requested = Predicate.hasProperty(body, "timeoutMs") ? body.timeoutMs : undefined
    return typeof requested === "number" && requested >= minimum && requested <= maximum
      ? requested
      : bounds.default
  } catch {
    // RequestBody answers a malformed body after the caller is authenticated.
    return bounds.default
  }
}

/** A body without validation. */
export type BodyBytes = ArrayBuffer | Uint8Array

/** Fails with database_unavailable when the body's deadline passes; `queuedMillis` of it have already passed. */
export const withinDeadline =
  (endpoint: HttpApiEndpoint.Top, body: Effect.Effect<BodyBytes, unknown>, passedMillis: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SearchUnavailable, R> => {
    const deadline = Context.get(endpoint.annotations, Deadline)
    if (deadline === null) return effect
    return whenLate<A, E, A, E | SearchUnavailable, never>(DEADLINE_MILLIS_MIN, (rest) =>
      Effect.raceFirst(rest, failAtDeadline(deadline, body, passedMillis))
    )(effect)
  }

/** Fails when the deadline passes. */
const failAtDeadline = Effect.fnUntraced(function* (
  deadline: NumericLimit,
  body: Effect.Effect<BodyBytes, unknown>,
  passedMillis: number
) {
  const startedAt = (yield* Clock.currentTimeMillis) - DEADLINE_MILLIS_MIN - passedMillis
  // A separate fiber reads the body, because the handler needs it after authentication too.
  const reading = yield* Effect.forkDetach(body)
  const bytes = yield* Effect.orElseSucceed(Fiber.join(reading), () => new ArrayBuffer(0))
  const passed = (yield* Clock.currentTimeMillis) - startedAt
  yield* Effect.sleep(Math.max(0, millisOf(bytes, deadline) - passed))
  return yield* new SearchUnavailable({ reason: "database_unavailable" })
})
