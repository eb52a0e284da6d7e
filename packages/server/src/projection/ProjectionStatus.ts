// Reports the progress of the indexes of this process to `index status` and metrics.
import { repeatEvery } from "@rapport/core/failures/LogOnce.ts"
import { Clock, Effect, Metric } from "effect"
import { randomUUID } from "node:crypto"
import type { Outbox, ProjectionStatus } from "../postgres/outbox/OutboxPostgres.ts"
import { positionOf, type Progresses } from "./ProjectionProgress.ts"

/** How often a process reports the status of its indexes. */
export const STATUS_MILLIS = 1_000
/** How often it reports a status that did not change. */
const STATUS_UNCHANGED_MILLIS = 10_000

/** The state of a projection's loop. Only the loop writes it. */
export interface ProjectionState {
  /** The active copy. */
  active: Progresses
  /** The copy that a rebuild builds. */
  building: Progresses | undefined
  /** By instance: since when a change waits, at the last poll, for the active copy. */
  waiting: Map<number, number | null>
  /** The number of polls, and the number of the last one after which nothing was left to do. */
  polls: number
  idlePoll: number
  /** Whether the database has everything that the index contains; searches are answered only then. */
  trusted: boolean
}

/** The status of each instance; during a rebuild with the progress of the new copy. */
export const statusOf = (state: ProjectionState, now: number): ReadonlyArray<ProjectionStatus> =>
  [...state.active].map(([instanceId, active]) => {
    const shown = state.building?.get(instanceId) ?? active
    const { scan } = shown.checkpoint
    const since = state.waiting.get(instanceId) ?? null
    return {
      instanceId,
      state: active.stored.complete && state.building === undefined ? "ready" : "building",
      position: positionOf(active.checkpoint),
      lagMillis: since === null ? 0 : Math.max(1, Math.round(now - since)),
      built: scan?.built ?? shown.checkpoint.built,
      total: scan?.total ?? shown.checkpoint.built
    }
  })

const lagGauge = Metric.gauge("rapport.index.lag", {
  description: "Age of the oldest committed change that is not searchable, of all instances, milliseconds"
})
const documentsGauge = Metric.gauge("rapport.index.documents", {
  description: "Documents indexed by the last scan, of all instances"
})
const quarantinedGauge = Metric.gauge("rapport.index.quarantined", {
  description: "Documents in quarantine, of all instances"
})

interface Names {
  readonly kind: string
  readonly engine: string
}

const measure = Effect.fnUntraced(function* (
  { engine, kind }: Names,
  outbox: Outbox,
  statuses: ReadonlyArray<ProjectionStatus>
) {
  const of = <Input, State>(gauge: Metric.Metric<Input, State>) =>
    Metric.withAttributes(gauge, { index: kind, engine })
  yield* Metric.update(of(lagGauge), Math.max(0, ...statuses.map((one) => one.lagMillis)))
  yield* Metric.update(
    of(documentsGauge),
    statuses.reduce((sum, one) => sum + one.built, 0)
  )
  yield* Metric.update(of(quarantinedGauge), yield* outbox.quarantined)
})

/** Reports in the background; the rows are deleted when the scope ends. */
export const reportStatus = Effect.fnUntraced(function* (
  names: Names,
  outbox: Outbox,
  state: ProjectionState
) {
  const process = randomUUID()
  let reported = ""
  let reportedAt = 0
  const report = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const statuses = statusOf(state, now)
    const text = JSON.stringify(statuses)
    if (statuses.length === 0 || (text === reported && now - reportedAt < STATUS_UNCHANGED_MILLIS)) return
    yield* measure(names, outbox, statuses)
    yield* outbox.reportStatus(process, names.engine, statuses)
    reported = text
    reportedAt = now
  })
  yield* Effect.addFinalizer(() => Effect.ignoreCause(outbox.removeStatus(process)))
  yield* repeatEvery(STATUS_MILLIS, `the status of the ${names.kind} index is not reported`)(report)
})
