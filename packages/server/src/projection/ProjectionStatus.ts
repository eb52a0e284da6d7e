// How far the indexes of this process are: rows that `index status` shows, and metrics.
import { STATUS_MILLIS } from "./ProjectionLimits.ts"
import { saidOnce } from "@rapport/core/failures/SaidOnce.ts"
import { Clock, Effect, Metric } from "effect"
import { randomUUID } from "node:crypto"
import type { Outbox, ProjectionStatus } from "../postgres/outbox/OutboxPostgres.ts"
import { positionOf, type Progresses } from "./ProjectionProgress.ts"

/** How often it reports a status that did not change. */
const STATUS_UNCHANGED_MILLIS = 10_000

/** What the loop of a projection knows; written by it alone, read by those who ask for its status. */
export interface ProjectionState {
  /** Of the copy that answers searches. */
  active: Progresses
  /** Of the copy that a rebuild makes, while it does. */
  building: Progresses | undefined
  /** Since when a change waits, of the last poll and the active copy. */
  waiting: Map<number, number | null>
  /** Polls begun, and the last of them after which nothing was left to do. */
  polls: number
  idlePoll: number
  /** Whether the database was seen to have all that the index claims; searches are answered only then. */
  trusted: boolean
}

/** Of each instance; while a rebuild is under way its progress, of what is built. */
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
  description: "Documents that the last scan of an index took, of all instances"
})
const quarantinedGauge = Metric.gauge("rapport.index.quarantined", {
  description: "Documents that an index does not take, of all instances"
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

/** Forks what reports; the rows go with the scope. */
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
  yield* report.pipe(
    saidOnce(`the status of the ${names.kind} index is not reported`),
    Effect.andThen(Effect.sleep(STATUS_MILLIS)),
    Effect.forever,
    Effect.forkScoped
  )
})
