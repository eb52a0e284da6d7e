// Sends what waits in the outbox of messages, call, operator and broadcast alike: claims due lines, tries the head of each,
// settles (contract §8). At least once: what a process that died had claimed is claimed by another, and goes out with
// the same id.
import { Cause, Clock, Context, Effect, Fiber, FiberSet, Layer, PubSub, Queue } from "effect"
import { type Attempted, makeAttempt } from "./DeliveryAttempt.ts"
import { ATTEMPTS_MAX } from "./DeliveryLimits.ts"
import { DeliveryLines, type DueDelivery, type LeasedLine } from "./DeliveryLines.ts"
import { DeliverySignal } from "./DeliverySignal.ts"
import type { RetrySettings } from "./RetryPolicy.ts"
import { logOnce } from "../failures/LogOnce.ts"
import { Shares } from "./Shares.ts"

/** How long a connector rests at most when its provider is overrun; one chat may be asked to wait longer. */
const THROTTLED_MILLIS_MAX = 5_000
/** How often lines that are worked on are renewed. */
const LEASE_RENEWED_MILLIS = 3_000
/** A poll without a notification, for what was enqueued by a process that died before it could notify. */
const DELIVERY_POLL_MILLIS = 10_000
/** What ends close together is followed by one claim. */
const DELIVERY_GATHER_MILLIS = 10
/** The wait after a claim or a settlement that failed. */
const DELIVERY_RETRY_MILLIS = 500
/** How long attempts may go on at a graceful stop; what still runs then is released, and tried by the next process. */
const DELIVERY_DRAIN_MILLIS_MAX = 5_000
/** How long a stop waits until the database has the outcomes of the last attempts. */
const SETTLED_AT_STOP_MILLIS_MAX = 2_000

/** Works as long as the layer lives; one in every process. */
export class DeliveryWorker extends Context.Service<
  DeliveryWorker,
  {
    /** Lines that this process holds at this moment. */
    readonly held: Effect.Effect<number>
  }
>()("@rapport/core/delivery/DeliveryWorker") {
  static readonly layer = (settings: RetrySettings) => Layer.effect(DeliveryWorker, make(settings))
}

/** A line whose head was tried, or that was due and had none. */
interface Ended extends Attempted {
  readonly line: LeasedLine
  readonly deliveryId: string | null
}

const released = {
  settlement: { _tag: "Released" },
  hasAnswered: undefined,
  restsUntil: undefined
} as const satisfies Attempted

/** What the parts of the worker share. */
interface Work {
  readonly lines: DeliveryLines["Service"]
  readonly attempt: (delivery: DueDelivery) => Effect.Effect<Attempted>
  readonly shares: Shares
  /** By lease. A line holds its places until what became of it is written. */
  readonly held: Map<string, LeasedLine>
  readonly ended: Queue.Queue<Ended>
  /** By instance, where it could not be written with that of others: what ended since. */
  readonly behind: Map<number, Array<Ended>>
  readonly freed: Queue.Queue<void>
  readonly running: FiberSet.FiberSet<unknown, never>
  /** What writes `behind`: older than the end of the worker, which waits for it. */
  readonly settling: FiberSet.FiberSet<unknown, never>
}

const make = Effect.fnUntraced(function* (settings: RetrySettings) {
  const notifications = yield* (yield* DeliverySignal).notifications
  const work: Work = {
    lines: yield* DeliveryLines,
    attempt: yield* makeAttempt(settings),
    shares: new Shares(),
    held: new Map(),
    ended: yield* Queue.bounded<Ended>(ATTEMPTS_MAX),
    behind: new Map(),
    freed: yield* Queue.sliding<void>(1),
    running: yield* FiberSet.make<unknown, never>(),
    settling: yield* FiberSet.make<unknown, never>()
  }
  const heard = Effect.raceFirst(PubSub.take(notifications), Queue.take(work.freed))
  const rounds = untilDone("deliveries wait", Effect.uninterruptible(round(work))).pipe(
    Effect.flatMap((millis) =>
      millis === 0 ? Effect.yieldNow : Effect.andThen(Effect.raceFirst(heard, Effect.sleep(millis)), gather)
    ),
    Effect.forever
  )
  const renewing = logOnce("leases of deliveries are not renewed: another process may send them again")
  yield* Effect.forkScoped(Effect.forever(settle(work)))
  yield* Effect.forkScoped(Effect.forever(Effect.delay(renewing(renew(work)), LEASE_RENEWED_MILLIS)))
  const claiming = yield* Effect.forkScoped(rounds)
  yield* Effect.addFinalizer(() => Effect.andThen(Fiber.interrupt(claiming), drain(work)))
  return DeliveryWorker.of({ held: Effect.sync(() => work.held.size) })
})

const hold = ({ held, shares }: Work, line: LeasedLine) => {
  held.set(line.lease, line)
  shares.begin(line)
}

const end = ({ ended }: Work, line: LeasedLine, deliveryId: string | null, attempted: Attempted) =>
  Queue.offer(ended, { line, deliveryId, ...attempted })

/** An attempt that a stop cuts off is released: the next worker makes it again, and it counts as none. */
const tryHead = (work: Work, delivery: DueDelivery) =>
  Effect.flatMap(work.attempt(delivery), (attempted) => end(work, delivery, delivery.id, attempted)).pipe(
    Effect.onInterrupt(() => end(work, delivery, delivery.id, released))
  )

/** One claim; gives for how long nothing is to be done unless something is heard. */
const round = Effect.fnUntraced(function* (work: Work) {
  const { lines, running, shares } = work
  const free = shares.free(yield* Clock.currentTimeMillis)
  if (free.lines <= 0) return DELIVERY_POLL_MILLIS
  const claimed = yield* lines.claim(free)
  for (const line of claimed.empty) {
    hold(work, line)
    yield* end(work, line, null, released)
  }
  for (const delivery of claimed.deliveries) {
    hold(work, delivery)
    const { id, withheld } = delivery
    if (withheld === null) yield* FiberSet.run(running, tryHead(work, delivery))
    else yield* end(work, delivery, id, { ...released, settlement: { _tag: "Skipped", reason: withheld } })
  }
  if (claimed.deliveries.length + claimed.empty.length >= free.lines) return 0
  const rest = shares.restMillis(yield* Clock.currentTimeMillis)
  return Math.min(DELIVERY_POLL_MILLIS, claimed.nextMillis ?? Infinity, rest ?? Infinity)
})

/**
 * What ended since the last time is written together. Where that fails, each instance is written by itself, until it succeeds: rows that
 * another holds, of one tenant, keep no other waiting.
 */
const settle = (work: Work) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const settled: Array<Ended> = []
      for (const one of yield* restore(Queue.takeAll(work.ended)))
        (work.behind.get(one.line.instanceId) ?? settled).push(one)
      if (settled.length === 0) return
      if (yield* restore(succeeds(work.lines.settle(settled)))) return yield* written(work, settled)
      for (const [instanceId, own] of Map.groupBy(settled, ({ line }) => line.instanceId)) {
        work.behind.set(instanceId, own)
        yield* FiberSet.run(work.settling, restore(settleBehind(work, instanceId, own)))
      }
    })
  )

/** Writes what ended of one instance, and what comes meanwhile, until nothing is left. */
const settleBehind = Effect.fnUntraced(function* (work: Work, instanceId: number, own: Array<Ended>) {
  while (own.length > 0) {
    const settled = own.splice(0)
    yield* untilDone("what became of deliveries is not written yet", work.lines.settle(settled))
    yield* written(work, settled)
  }
  work.behind.delete(instanceId)
})

/** Gives the places of these lines back. */
const written = Effect.fnUntraced(function* ({ freed, held, shares }: Work, settled: ReadonlyArray<Ended>) {
  const now = yield* Clock.currentTimeMillis
  for (const { hasAnswered, line, restsUntil } of settled) {
    if (restsUntil !== undefined) shares.rest(line, Math.min(restsUntil, now + THROTTLED_MILLIS_MAX))
    shares.end(line, hasAnswered, now)
    held.delete(line.lease)
  }
  yield* Queue.offer(freed, undefined)
})

const succeeds = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<boolean> =>
  Effect.matchCauseEffect(effect, {
    onSuccess: () => Effect.succeed(true),
    onFailure: (cause) => (Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed(false))
  })

const renew = ({ held, lines }: Work) =>
  Effect.suspend(() => (held.size === 0 ? Effect.void : lines.renew([...held.values()])))

/** Nothing more is claimed: what runs may end, the rest is released, and all of it is written. */
const drain = Effect.fnUntraced(function* ({ held, running }: Work) {
  yield* atMost(DELIVERY_DRAIN_MILLIS_MAX, FiberSet.awaitEmpty(running))
  yield* FiberSet.clear(running)
  const settled = Effect.repeat(Effect.sleep(DELIVERY_GATHER_MILLIS), { while: () => held.size > 0 })
  if (held.size > 0) yield* atMost(SETTLED_AT_STOP_MILLIS_MAX, settled)
})

/** What ends close together is followed by one claim, not by one each. */
const gather = Effect.sleep(DELIVERY_GATHER_MILLIS)

const atMost = <A>(millis: number, effect: Effect.Effect<A>) => Effect.raceFirst(effect, Effect.sleep(millis))

/** Again and again until it succeeds; what lasts is said once. */
const untilDone = <A, E>(what: string, effect: Effect.Effect<A, E>): Effect.Effect<A> =>
  Effect.suspend(() => {
    let failures = 0
    const failed = (cause: Cause.Cause<E>): Effect.Effect<A> => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      failures++
      const said = failures === 2 ? Effect.logWarning(what, cause) : Effect.void
      return Effect.andThen(said, Effect.delay(once, DELIVERY_RETRY_MILLIS))
    }
    const once: Effect.Effect<A> = Effect.suspend(() => Effect.catchCause(effect, failed))
    return once
  })
