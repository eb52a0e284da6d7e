// Repeats what a projection does for as long as it runs: after a failure it starts again, at growing distances.
import { PROJECTION_RETRY_MILLIS_MAX } from "../postgres/outbox/OutboxLimits.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Cause, Effect, Schedule } from "effect"
import type { StepFailure } from "./Documents.ts"

/** First wait of a projection that failed. */
const PROJECTION_RETRY_MILLIS = 100

interface Rounds<R> {
  /** First, and after every failure. */
  readonly resume: Effect.Effect<void, StepFailure, R>
  /** Again and again while nothing fails. */
  readonly goOn: Effect.Effect<void, StepFailure, R>
  readonly failed: (isOfDatabase: boolean) => Effect.Effect<void>
}

const backoff = Schedule.min([
  Schedule.exponential(PROJECTION_RETRY_MILLIS),
  Schedule.spaced(PROJECTION_RETRY_MILLIS_MAX)
])

/** Ends by interruption alone; a defect is a failure like any other. */
export const keepRunning = <R>(kind: string, { failed, goOn, resume }: Rounds<R>) => {
  const log = makeFailureLog(kind)
  const noted = (cause: Cause.Cause<StepFailure>) =>
    isInterruption(cause) ? Effect.void : Effect.andThen(failed(isOfDatabase(cause)), log.failed(cause))
  const resumed = resume.pipe(
    Effect.tapCause(noted),
    Effect.sandbox,
    Effect.retry({ schedule: backoff, while: (cause) => !isInterruption(cause) }),
    Effect.catch((cause) => Effect.failCause(cause)),
    Effect.andThen(log.worked)
  )
  const recover = (cause: Cause.Cause<StepFailure>) =>
    Effect.andThen(noted(cause), Effect.delay(resumed, PROJECTION_RETRY_MILLIS))
  return Effect.andThen(
    resumed,
    Effect.forever(Effect.catchCauseIf(goOn, (cause) => !isInterruption(cause), recover))
  )
}

const isInterruption = (cause: Cause.Cause<unknown>): boolean => Cause.hasInterruptsOnly(cause)

const isOfDatabase = (cause: Cause.Cause<StepFailure>): boolean => {
  const error = Cause.squash(cause)
  return error instanceof SourceUnavailable && error.source === "database"
}

/** Once may happen; what lasts is said once for each reason. */
const makeFailureLog = (kind: string) => {
  let failures = 0
  let said = ""
  return {
    failed: Effect.fnUntraced(function* (cause: Cause.Cause<StepFailure>) {
      const reason = reasonOf(cause)
      failures++
      if (failures === 1 || reason === said) return
      said = reason
      yield* Effect.logWarning(`the ${kind} index waits: ${reason}`, cause)
    }),
    worked: Effect.suspend(() => {
      const hasFailed = failures > 0
      failures = 0
      said = ""
      return hasFailed ? Effect.logInfo(`the ${kind} index goes on`) : Effect.void
    })
  }
}

const reasonOf = (cause: Cause.Cause<StepFailure>): string => {
  const error = Cause.squash(cause)
  if (typeof error !== "object" || error === null || !("_tag" in error)) return "an internal error"
  return "reason" in error ? String(error.reason) : String(error._tag)
}
