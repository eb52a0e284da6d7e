// Tells every process where the indexes of this one stand: rows that `index status` shows.
import { STANDING_MILLIS, STANDING_UNCHANGED_MILLIS } from "@rapport/contract/Limits.ts"
import { Clock, Effect, Metric } from "effect"
import { randomUUID } from "node:crypto"
import type { Outbox, ProcessStanding } from "../postgres/outbox/OutboxPostgres.ts"
import { placeOf } from "./ProjectionCheckpoint.ts"
import type { Projected, ProjectionState } from "./ProjectionSteps.ts"

/** Each instance as it stands; while a rebuild is under way its progress, of what is built. */
export const standingsOf = (state: ProjectionState, now: number): ReadonlyArray<ProcessStanding> =>
  [...state.served].map(([instanceId, served]) => {
    const shown = state.draft?.get(instanceId) ?? served
    const { scan } = shown.checkpoint
    const since = state.waiting.get(instanceId) ?? null
    return {
      instanceId,
      state: served.mark.complete && state.draft === undefined ? "ready" : "building",
      place: placeOf(served.checkpoint),
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

const measure = Effect.fnUntraced(function* (
  { engine, kind }: Projected,
  outbox: Outbox,
  standings: ReadonlyArray<ProcessStanding>
) {
  const of = <Input, State>(gauge: Metric.Metric<Input, State>) =>
    Metric.withAttributes(gauge, { index: kind, engine })
  yield* Metric.update(of(lagGauge), Math.max(0, ...standings.map((one) => one.lagMillis)))
  yield* Metric.update(
    of(documentsGauge),
    standings.reduce((sum, one) => sum + one.built, 0)
  )
  yield* Metric.update(of(quarantinedGauge), yield* outbox.quarantined)
})

/** Forks what tells; the rows go with the scope. */
export const tellStandings = Effect.fnUntraced(function* (
  projected: Projected,
  outbox: Outbox,
  state: ProjectionState
) {
  const process = randomUUID()
  let told = ""
  let toldAt = 0
  const tell = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const standings = standingsOf(state, now)
    const text = JSON.stringify(standings)
    if (standings.length === 0 || (text === told && now - toldAt < STANDING_UNCHANGED_MILLIS)) return
    yield* measure(projected, outbox, standings)
    yield* outbox.tell(process, projected.engine, standings)
    told = text
    toldAt = now
  })
  yield* Effect.addFinalizer(() => Effect.ignoreCause(outbox.forget(process)))
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.ignoreCause(tell), Effect.sleep(STANDING_MILLIS)))
  )
})
