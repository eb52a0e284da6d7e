// How many connections of a pool are in use and how many statements wait for one, as metrics that are read when asked for.
import { Effect, Metric, type Scope } from "effect"
import { registered } from "../../metrics/Registered.ts"

const sizeGauge = Metric.gauge("rapport.pool.connections", {
  description: "connections that the pool may have"
})
const inUseGauge = Metric.gauge("rapport.pool.in_use", { description: "connections that are in use" })
const waitingGauge = Metric.gauge("rapport.pool.waiting", {
  description: "statements and transactions that wait for a connection"
})

export interface PoolUse {
  /** Around one that waits, then runs. */
  readonly within: <A, E, R>(
    make: (
      inUse: <A1, E1, R1>(effect: Effect.Effect<A1, E1, R1>) => Effect.Effect<A1, E1, R1>
    ) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** Around what waits for a place that is held until the scope ends. */
  readonly scoped: <A, E, R>(place: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | Scope.Scope>
}

export const poolUse = Effect.fnUntraced(function* (
  size: number
): Effect.fn.Return<PoolUse, never, Scope.Scope> {
  const context = yield* Effect.context<never>()
  let [waiting, inUse] = [0, 0]
  yield* registered(sizeGauge, context, () => ({ value: size }))
  yield* registered(inUseGauge, context, () => ({ value: inUse }))
  yield* registered(waitingGauge, context, () => ({ value: waiting }))
  const running = around(
    () => {
      waiting--
      inUse++
    },
    () => {
      waiting++
      inUse--
    }
  )
  const queued = around(
    () => void waiting++,
    () => void waiting--
  )
  const held = Effect.acquireRelease(
    Effect.sync(() => void inUse++),
    () => Effect.sync(() => void inUse--)
  )
  return {
    within: (make) => queued(make(running)),
    scoped: (place) => Effect.tap(queued(place), () => held)
  }
})

const around = (enter: () => void, leave: () => void) => {
  const leaving = Effect.sync(leave)
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      enter()
      return Effect.ensuring(effect, leaving)
    })
}
