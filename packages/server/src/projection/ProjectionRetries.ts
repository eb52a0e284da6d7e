// Repeats the rounds of a projection; after a failure it restarts with exponential backoff.
import { PROJECTION_RETRY_MILLIS_MAX } from "../postgres/outbox/OutboxLimits.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Cause, Effect, Schedule } from "effect"
import type { StepFailure } from "./Documents.ts"

/** First wait of a projection that failed. */
const PROJECTION_RETRY_MILLIS = 100

interface Rounds<R> {
  /** Runs first and after every failure. */
  readonly resume: Effect.Effect<void, StepFailure, R>
  /** Repeated while nothing fails. */
  readonly repeat: Effect.Effect<void, StepFailure, R>
  readonly failed: (isOfDatabase: boolean) => Effect.Effect<void>
}

const backoff = Schedule.min([
  Schedule.exponential(PROJECTION_RETRY_MILLIS),
  Schedule.spaced(PROJECTION_RETRY_MILLIS_MAX)
])

/** Ends only by interruption; a defect is a failure like any other. */
export const keepRunning = <R>(kind: string, { failed, repeat, resume }: Rounds<R>) => {
  const log = makeFailureLog(kind)
  const note = (cause: Cause.Cause<StepFailure>) =>
    isInterruption(cause) ? Effect.void : Effect.andThen(failed(isOfDatabase(cause)), log.failed(cause))
  const resumed = resume.pipe(
    Effect.tapCause(note),
    Effect.sandbox,
    Effect.retry({ schedule: backoff, while: (cause) => !isInterruption(cause) }),
    Effect.catch((cause) => Effect.failCause(cause)),
    Effect.andThen(log.worked)
  )
  const recover = (cause: Cause.Cause<StepFailure>) =>
    Effect.andThen(note(cause), Effect.delay(resumed, PROJECTION_RETRY_MILLIS))
  return Effect.andThen(
    resumed,
    Effect.forever(Effect.catchCauseIf(repeat, (cause) => !isInterruption(cause), recover))
  )
}

const isInterruption = (cause: Cause.Cause<unknown>): boolean => Cause.hasInterruptsOnly(cause)

const isOfDatabase = (cause: Cause.Cause<StepFailure>): boolean => {
  const error = Cause.squash(cause)
  return error instanceof SourceUnavailable && error.source === "database"
}

/** Ignores a single failure; logs a lasting one once for each reason. */
const makeFailureLog = (kind: string) => {
  let failures = 0
  let logged = ""
  return {
    failed: Effect.fnUntraced(function* (cause: Cause.Cause<StepFailure>) {
      const reason = reasonOf(cause)
      failures++
      if (failures === 1 || reason === logged) return
      logged = reason
      yield* Effect.logWarning(`the ${kind} index cannot be updated: ${reason}`, cause)
    }),
    worked: Effect.suspend(() => {
      const hasFailed = failures > 0
      failures = 0
      logged = ""
      return hasFailed ? Effect.logInfo(`the ${kind} index is updated again`) : Effect.void
    })
  }
}

const reasonOf = (cause: Cause.Cause<StepFailure>): string => {
  const error = Cause.squash(cause)
  if (typeof error !== "object" || error === null || !("_tag" in error)) return "an internal error"
  return "reason" in error ? String(error.reason) : String(error._tag)
}
