// The delivery worker: claims due lines, sends the oldest delivery of each, settles (contract §8). At least once: lines of a dead
// process are claimed by another one and sent with the same ids.
import { Cause, Clock, Effect, Fiber, FiberSet, Layer, PubSub, Queue } from "effect"
import { type AttemptResult, makeAttempt } from "./DeliveryAttempt.ts"
import { DeliveryLines, type DueDelivery, type LeasedLine } from "./DeliveryLines.ts"
import { DeliverySignal } from "./DeliverySignal.ts"
import type { RetrySettings } from "./RetryPolicy.ts"
import { repeatEvery } from "../failures/LogOnce.ts"
import { ATTEMPTS_MAX, Shares } from "./Shares.ts"

/** Longest pause of a throttled connector; a single chat may wait longer. */
const THROTTLED_MILLIS_MAX = 5_000
/** How often the leases of lines in progress are renewed. */
const LEASE_RENEWED_MILLIS = 3_000
/** The poll without a notification, for deliveries of a process that died before it could notify. */
const DELIVERY_POLL_MILLIS = 10_000
/** Attempts that end within this time are followed by one claim. */
const DELIVERY_GATHER_MILLIS = 10
/** The wait after a claim or a settlement that failed. */
const DELIVERY_RETRY_MILLIS = 500
/** How long attempts may run at a graceful stop; then they are interrupted, and the next process repeats them. */
const DELIVERY_DRAIN_MILLIS_MAX = 5_000
/** How long a stop waits until the last attempts are settled. */
const SETTLED_AT_STOP_MILLIS_MAX = 2_000

/** A line after an attempt, or one without a queued delivery. */
interface Ended extends AttemptResult {
  readonly line: LeasedLine
  readonly deliveryId: string | null
}

const released = {
  settlement: { status: "queued", countsAsAttempt: false },
  isResponsive: undefined,
  throttledUntil: undefined
} as const satisfies AttemptResult

/** The state of the worker. */
interface Work {
  readonly lines: DeliveryLines["Service"]
  readonly attempt: (delivery: DueDelivery) => Effect.Effect<AttemptResult>
  readonly shares: Shares
  /** Claimed lines by lease; each counts in `shares` until it is settled. */
  readonly claimed: Map<string, LeasedLine>
  readonly ended: Queue.Queue<Ended>
  /** By instance: ended lines that could not be settled together with those of other instances. */
  readonly behind: Map<number, Array<Ended>>
  readonly freed: Queue.Queue<void>
  readonly running: FiberSet.FiberSet<unknown, never>
  /** Writers of `behind`; created before the finalizer of the worker, which waits for them. */
  readonly settling: FiberSet.FiberSet<unknown, never>
}

const run = Effect.fnUntraced(function* (settings: RetrySettings) {
  const notifications = yield* (yield* DeliverySignal).notifications
  const work: Work = {
    lines: yield* DeliveryLines,
    attempt: yield* makeAttempt(settings),
    shares: new Shares(),
    claimed: new Map(),
    ended: yield* Queue.bounded<Ended>(ATTEMPTS_MAX),
    behind: new Map(),
    freed: yield* Queue.sliding<void>(1),
    running: yield* FiberSet.make<unknown, never>(),
    settling: yield* FiberSet.make<unknown, never>()
  }
  const notified = Effect.raceFirst(PubSub.take(notifications), Queue.take(work.freed))
  const rounds = untilDone("deliveries cannot be claimed", Effect.uninterruptible(round(work))).pipe(
    Effect.flatMap((millis) =>
      millis === 0
        ? Effect.yieldNow
        : Effect.andThen(Effect.raceFirst(notified, Effect.sleep(millis)), gather)
    ),
    Effect.forever
  )
  yield* Effect.forkScoped(Effect.forever(settle(work)))
  const notRenewed = "leases of deliveries are not renewed: another process may send them again"
  yield* repeatEvery(LEASE_RENEWED_MILLIS, notRenewed)(renew(work))
  const claiming = yield* Effect.forkScoped(rounds)
  yield* Effect.addFinalizer(() => Effect.andThen(Fiber.interrupt(claiming), drain(work)))
})

/** Works as long as the layer lives. One in every process. */
export const deliveryWorkerLayer = (settings: RetrySettings) => Layer.effectDiscard(run(settings))

const begin = ({ claimed, shares }: Work, line: LeasedLine) => {
  claimed.set(line.lease, line)
  shares.begin(line)
}

const end = ({ ended }: Work, line: LeasedLine, deliveryId: string | null, attempted: AttemptResult) =>
  Queue.offer(ended, { line, deliveryId, ...attempted })

/** An attempt that a stop interrupts does not count. It has a reason, because the receiver may have its body. */
const interrupted = {
  ...released,
  settlement: { ...released.settlement, reason: "timeout" }
} as const satisfies AttemptResult

const tryHead = (work: Work, delivery: DueDelivery) =>
  Effect.flatMap(work.attempt(delivery), (attempted) => end(work, delivery, delivery.id, attempted)).pipe(
    Effect.onInterrupt(() => end(work, delivery, delivery.id, interrupted))
  )

/** One claim; returns the milliseconds until the next one unless a notification arrives. */
const round = Effect.fnUntraced(function* (work: Work) {
  const { lines, running, shares } = work
  const free = shares.free(yield* Clock.currentTimeMillis)
  if (free.lines <= 0) return DELIVERY_POLL_MILLIS
  const claimed = yield* lines.claim(free)
  for (const line of claimed.empty) {
    begin(work, line)
    yield* end(work, line, null, released)
  }
  for (const delivery of claimed.deliveries) {
    begin(work, delivery)
    const { id, withheld } = delivery
    if (withheld === null) yield* FiberSet.run(running, tryHead(work, delivery))
    else {
      const settlement = { status: "failed", countsAsAttempt: false, reason: withheld } as const
      yield* end(work, delivery, id, { ...released, settlement })
    }
  }
  if (claimed.deliveries.length + claimed.empty.length >= free.lines) return 0
  const rest = shares.pauseMillis(yield* Clock.currentTimeMillis)
  return Math.min(DELIVERY_POLL_MILLIS, claimed.nextMillis ?? Infinity, rest ?? Infinity)
})

/**
 * Settles all ended lines together. If that fails, each instance is settled separately until it succeeds, so that locked rows
 * of one tenant do not delay the others.
 */
const settle = (work: Work) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const settled: Array<Ended> = []
      for (const one of yield* restore(Queue.takeAll(work.ended)))
        (work.behind.get(one.line.instanceId) ?? settled).push(one)
      if (settled.length === 0) return
      if (yield* restore(succeeds(work.lines.settle(settled)))) return yield* freeShares(work, settled)
      for (const [instanceId, own] of Map.groupBy(settled, ({ line }) => line.instanceId)) {
        work.behind.set(instanceId, own)
        yield* FiberSet.run(work.settling, restore(settleBehind(work, instanceId, own)))
      }
    })
  )

/** Settles the lines of one instance, including lines that end meanwhile. */
const settleBehind = Effect.fnUntraced(function* (work: Work, instanceId: number, own: Array<Ended>) {
  while (own.length > 0) {
    const settled = own.splice(0)
    yield* untilDone("deliveries cannot be settled", work.lines.settle(settled))
    yield* freeShares(work, settled)
  }
  work.behind.delete(instanceId)
})

/** Frees the shares of settled lines. */
const freeShares = Effect.fnUntraced(function* (
  { freed, claimed, shares }: Work,
  settled: ReadonlyArray<Ended>
) {
  const now = yield* Clock.currentTimeMillis
  for (const { isResponsive, line, throttledUntil } of settled) {
    if (throttledUntil !== undefined)
      shares.throttle(line, Math.min(throttledUntil, now + THROTTLED_MILLIS_MAX), now)
    shares.end(line, isResponsive, now)
    claimed.delete(line.lease)
  }
  yield* Queue.offer(freed, undefined)
})

const succeeds = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<boolean> =>
  Effect.matchCauseEffect(effect, {
    onSuccess: () => Effect.succeed(true),
    onFailure: (cause) => (Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed(false))
  })

const renew = ({ claimed, lines }: Work) =>
  Effect.suspend(() => (claimed.size === 0 ? Effect.void : lines.renew([...claimed.values()])))

/** After the last claim: lets attempts end or releases them, then waits until all lines are settled. */
const drain = Effect.fnUntraced(function* ({ claimed, running }: Work) {
  yield* atMost(DELIVERY_DRAIN_MILLIS_MAX, FiberSet.awaitEmpty(running))
  yield* FiberSet.clear(running)
  const settled = Effect.repeat(Effect.sleep(DELIVERY_GATHER_MILLIS), { while: () => claimed.size > 0 })
  if (claimed.size > 0) yield* atMost(SETTLED_AT_STOP_MILLIS_MAX, settled)
})

/** Gathers attempts that end close together. */
const gather = Effect.sleep(DELIVERY_GATHER_MILLIS)

const atMost = <A>(millis: number, effect: Effect.Effect<A>) => Effect.raceFirst(effect, Effect.sleep(millis))

/** Repeats the effect until it succeeds; logs a lasting failure once. */
const untilDone = <A, E>(what: string, effect: Effect.Effect<A, E>): Effect.Effect<A> =>
  Effect.suspend(() => {
    let failures = 0
    const retryAfter = (cause: Cause.Cause<E>): Effect.Effect<A> => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      failures++
      const logged = failures === 2 ? Effect.logWarning(what, cause) : Effect.void
      return Effect.andThen(logged, Effect.delay(once, DELIVERY_RETRY_MILLIS))
    }
    const once: Effect.Effect<A> = Effect.suspend(() => Effect.catchCause(effect, retryAfter))
    return once
  })
