// The deadline of authentication on routes whose caller sets a deadline: no longer than the answer may take (contract §3.4).
import { SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Deadline } from "@rapport/contract/http/RequestBody.ts"
import { whenLate } from "@rapport/core/failures/SourceUnavailable.ts"
import { Clock, Context, Effect, Fiber, Predicate } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"

/** No deadline is shorter, and authentication seldom takes as long: until then the body is not read. */
const LOOK_MILLIS = 40

const millisOf = (bytes: BodyBytes, { maximum, member, minimum, ...bounds }: Deadline): number => {
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes))
    const given = Predicate.hasProperty(body, member) ? body[member] : undefined
    return typeof given === "number" && given >= minimum && given <= maximum ? given : bounds.default
  } catch {
    // What is wrong with the body is answered by RequestBody, once the caller is known.
    return bounds.default
  }
}

/** A body as it was sent. */
export type BodyBytes = ArrayBuffer | Uint8Array

/**
 * Gives up with database_unavailable when the deadline in the body passes, of which so much has passed before; routes
 * without one wait on.
 */
export const withinDeadline =
  (endpoint: HttpApiEndpoint.Top, body: Effect.Effect<BodyBytes, unknown>, passedMillis: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SearchUnavailable, R> => {
    const deadline = Context.get(endpoint.annotations, Deadline)
    if (deadline === null) return effect
    return whenLate<A, E, A, E | SearchUnavailable, never>(LOOK_MILLIS, (rest) =>
      Effect.raceFirst(rest, passing(deadline, body, passedMillis))
    )(effect)
  }

/** Fails when the deadline passes. */
const passing = Effect.fnUntraced(function* (
  deadline: Deadline,
  body: Effect.Effect<BodyBytes, unknown>,
  passedMillis: number
) {
  const startedAt = (yield* Clock.currentTimeMillis) - LOOK_MILLIS - passedMillis
  // In a fiber of its own: a caller who is authenticated meanwhile still needs the body, and one who is not waits for none.
  const reading = yield* Effect.forkDetach(body)
  const bytes = yield* Effect.orElseSucceed(Fiber.join(reading), () => new ArrayBuffer(0))
  const passed = (yield* Clock.currentTimeMillis) - startedAt
  yield* Effect.sleep(Math.max(0, millisOf(bytes, deadline) - passed))
  return yield* new SearchUnavailable({ reason: "database_unavailable" })
})
