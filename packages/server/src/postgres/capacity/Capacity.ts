// What this process knows of quotas and of free space, and the gate that writes pass by it (contract §11).
import { QuotaExceeded } from "@rapport/contract/Errors.ts"
import { isFreeing, isGrowing, WriteCapacity } from "@rapport/core/capacity/WriteCapacity.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Cause, Effect, Layer, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import { instancesAbove, measureUsage } from "./InstanceUsagePostgres.ts"
import { projectionLease } from "../outbox/ProjectionLease.ts"

/** How often free space is checked. */
const FREE_SPACE_MILLIS = 1_000
/** Share of the mark that has to be free on top of it before writes are taken again: no flapping around it. */
const FREE_SPACE_MARGIN = 0.1
/** How often instances are measured, by one process, where a quota is set. */
const USAGE_MEASURED_MILLIS = 60_000
/** How often each process reads what was measured. */
const USAGE_READ_MILLIS = 5_000

export interface CapacitySettings {
  readonly dataDir: string
  readonly freeBytesMin: number
  readonly quota: { readonly rows: number; readonly bytes: number }
}

interface Known {
  isDiskFull: boolean
  above: ReadonlyMap<number, string>
}

/** Pure: whether writes are refused now, given whether they were. At 0 they never are. */
export const isFull = (free: number, mark: number, wasFull: boolean): boolean =>
  mark > 0 && free < (wasFull ? mark * (1 + FREE_SPACE_MARGIN) : mark)

export const gateOf = (known: Known): (typeof WriteCapacity)["Service"] => ({
  pass: (instanceId, operation) =>
    Effect.suspend((): Effect.Effect<void, QuotaExceeded | SourceUnavailable> => {
      if (known.isDiskFull && !isFreeing(operation))
        return Effect.fail(new SourceUnavailable({ source: "database", reason: "storage_full" }))
      const detail = isGrowing(operation) ? known.above.get(instanceId) : undefined
      return detail === undefined ? Effect.void : Effect.fail(new QuotaExceeded({ detail }))
    })
})

const repeated = <E, R>(what: string, once: Effect.Effect<unknown, E, R>, everyMillis: number) =>
  once.pipe(
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) => Effect.logWarning(`${what} failed`, cause)
    ),
    Effect.andThen(Effect.sleep(everyMillis)),
    Effect.forever,
    Effect.forkScoped
  )

const watchSpace = Effect.fnUntraced(function* (known: Known, { dataDir, freeBytesMin }: CapacitySettings) {
  const { bavail, bsize } = yield* Effect.promise(() => fs.promises.statfs(dataDir))
  const full = isFull(bavail * bsize, freeBytesMin, known.isDiskFull)
  if (full === known.isDiskFull) return
  known.isDiskFull = full
  yield* full
    ? Effect.logError(
        `less than ${freeBytesMin} bytes are free at ${dataDir}: writes are refused, reads go on`
      )
    : Effect.logInfo(`there is space at ${dataDir} again: writes are taken`)
})

const readUsage = (known: Known, quota: CapacitySettings["quota"]) =>
  Effect.map(instancesAbove(quota), (above) => {
    known.above = new Map(
      above.map(({ bytes, instanceId, rows }) => [
        instanceId,
        quota.rows > 0 && rows >= quota.rows
          ? `the instance stores ${rows} of at most ${quota.rows} rows`
          : `the instance stores ${bytes} of at most ${quota.bytes} bytes`
      ])
    )
  })

/** The gate of the service, open at first; what is known follows within seconds. */
export const layer = (settings: CapacitySettings): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effect(
    WriteCapacity,
    Effect.gen(function* () {
      const known: Known = { isDiskFull: false, above: new Map() }
      const { freeBytesMin, quota } = settings
      if (freeBytesMin > 0)
        yield* repeated("the look at free space", watchSpace(known, settings), FREE_SPACE_MILLIS)
      if (quota.rows > 0 || quota.bytes > 0) {
        // The lease comes a moment after the start, or when another process ends: the first measuring waits for it, no longer.
        const isMine = yield* projectionLease("usage")
        const untilMine = Effect.repeat(isMine, {
          until: (mine) => mine,
          schedule: Schedule.spaced(USAGE_READ_MILLIS)
        })
        yield* repeated(
          "the measuring of instances",
          Effect.andThen(untilMine, measureUsage()),
          USAGE_MEASURED_MILLIS
        )
        yield* repeated("the reading of quotas", readUsage(known, quota), USAGE_READ_MILLIS)
      }
      return gateOf(known)
    })
  )
