// Repeats the rounds of a projection. After a failure it resumes, with exponential backoff.
import { PROJECTION_RETRY_MILLIS_MAX } from "../postgres/outbox/OutboxSignalPostgres.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Cause, Effect } from "effect"
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

/** Ends only by interruption; a defect is a failure like any other. */
export const keepRunning = <R>(kind: string, { failed, repeat, resume }: Rounds<R>) => {
  const log = makeFailureLog(kind)
  let pause = PROJECTION_RETRY_MILLIS
  const resumed = Effect.suspend(() => {
    pause = PROJECTION_RETRY_MILLIS
    return log.worked
  })
  return resume.pipe(
    Effect.andThen(resumed),
    Effect.andThen(Effect.forever(repeat)),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      Effect.fnUntraced(function* (cause) {
        yield* failed(isOfDatabase(cause))
        yield* log.failed(cause)
        yield* Effect.sleep(pause)
        pause = Math.min(2 * pause, PROJECTION_RETRY_MILLIS_MAX)
      })
    ),
    Effect.forever
  )
}

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
