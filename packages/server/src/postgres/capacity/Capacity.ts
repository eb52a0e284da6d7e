// Refuses writes above quotas or without free space (contract §11). Each process reads both periodically.
import { QuotaExceeded } from "@rapport/contract/Errors.ts"
import { isFreeing, isGrowing, WriteCapacity } from "@rapport/core/capacity/WriteCapacity.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { repeatEvery } from "@rapport/core/failures/LogOnce.ts"
import { Effect, Layer, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import { instancesAbove, measureUsage } from "./InstanceUsagePostgres.ts"
import { projectionLease } from "../outbox/ProjectionLease.ts"

/** How often free space is checked. */
const FREE_SPACE_MILLIS = 1_000
/** Hysteresis: this share of the minimum has to be free in addition before writes are accepted again. */
const FREE_SPACE_MARGIN = 0.1
/** If a quota is set, one process measures all instances this often. */
const USAGE_MEASURED_MILLIS = 60_000
/** Each process reads the measured sizes this often. */
const USAGE_READ_MILLIS = 5_000

export interface CapacitySettings {
  readonly dataDir: string
  readonly freeBytesMin: number
  readonly quota: { readonly rows: number; readonly bytes: number }
}

interface CapacityState {
  isDiskFull: boolean
  /** Details of the instances above a quota. */
  aboveQuota: ReadonlyMap<number, string>
}

/** Whether writes are refused. A minimum of 0 never refuses. */
export const isFull = (free: number, min: number, wasFull: boolean): boolean =>
  min > 0 && free < (wasFull ? min * (1 + FREE_SPACE_MARGIN) : min)

export const capacityOf = (state: CapacityState): (typeof WriteCapacity)["Service"] => ({
  pass: (instanceId, operation) =>
    Effect.suspend((): Effect.Effect<void, QuotaExceeded | SourceUnavailable> => {
      if (state.isDiskFull && !isFreeing(operation))
        return Effect.fail(new SourceUnavailable({ source: "database", reason: "storage_full" }))
      const detail = isGrowing(operation) ? state.aboveQuota.get(instanceId) : undefined
      return detail === undefined ? Effect.void : Effect.fail(new QuotaExceeded({ detail }))
    })
})

const watchSpace = Effect.fnUntraced(function* (
  state: CapacityState,
  { dataDir, freeBytesMin }: CapacitySettings
) {
  const { bavail, bsize } = yield* Effect.promise(() => fs.promises.statfs(dataDir))
  const full = isFull(bavail * bsize, freeBytesMin, state.isDiskFull)
  if (full === state.isDiskFull) return
  state.isDiskFull = full
  yield* full
    ? Effect.logError(
        `less than ${freeBytesMin} bytes are free at ${dataDir}: writes are refused, reads continue`
      )
    : Effect.logInfo(`there is space at ${dataDir} again: writes are accepted`)
})

const readUsage = (state: CapacityState, quota: CapacitySettings["quota"]) =>
  Effect.map(instancesAbove(quota), (above) => {
    state.aboveQuota = new Map(
      above.map(({ bytes, instanceId, rows }) => [
        instanceId,
        quota.rows > 0 && rows >= quota.rows
          ? `the instance stores ${rows} of at most ${quota.rows} rows`
          : `the instance stores ${bytes} of at most ${quota.bytes} bytes`
      ])
    )
  })

/** Accepts every write until the first reading. */
export const layer = (settings: CapacitySettings): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effect(
    WriteCapacity,
    Effect.gen(function* () {
      const state: CapacityState = { isDiskFull: false, aboveQuota: new Map() }
      const { freeBytesMin, quota } = settings
      if (freeBytesMin > 0)
        yield* repeatEvery(FREE_SPACE_MILLIS, "free space cannot be checked")(watchSpace(state, settings))
      if (quota.rows > 0 || quota.bytes > 0) {
        // Only the first measurement waits for the lease, which may belong to another process.
        const isMine = yield* projectionLease("usage")
        const untilMine = Effect.repeat(isMine, {
          until: (mine) => mine,
          schedule: Schedule.spaced(USAGE_READ_MILLIS)
        })
        yield* repeatEvery(
          USAGE_MEASURED_MILLIS,
          "instances cannot be measured"
        )(Effect.andThen(untilMine, measureUsage()))
        yield* repeatEvery(USAGE_READ_MILLIS, "quotas cannot be read")(readUsage(state, quota))
      }
      return capacityOf(state)
    })
  )
