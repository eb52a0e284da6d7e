// Fair queues in front of shared resources: a freed place goes to the tenant with the fewest places.
import { Clock, Context, Effect, Exit, type Scope } from "effect"

/** The service itself, requests without a session yet, or an instance. */
export type TenantKey = "service" | "anonymous" | `instance/${number}`

/** Set for every request; work without a request belongs to the service. */
export const CurrentTenant = Context.Reference<TenantKey>("core/traffic/CurrentTenant", {
  defaultValue: () => "service"
})
export const tenantOf = ({ instanceId }: { readonly instanceId: number }): TenantKey =>
  `instance/${instanceId}`

export interface TenantQueueOptions {
  readonly permits: number
  /** Places of one key at most. */
  readonly share: number
  /**
   * The smaller share of a key while another key was active within so many milliseconds. A key that has less in flight than that key,
   * and than its share, keeps its share.
   */
  readonly contended?: { readonly share: number; readonly millis: number }
  /** A place counts as free after this time, even if its effect still runs. */
  readonly countedMillis?: number
  /** Waiting effects of one key and of all keys at most, and how long they wait. */
  readonly waitingMax: number
  readonly waitingTotalMax?: number
  readonly waitMillis: number
}

export interface TenantQueue<E, Key extends string = TenantKey> {
  /** Takes a place while the effect runs, or several together; a key that needs more than its share gets the share. */
  readonly within: <A, E2, R>(
    key: Key,
    effect: Effect.Effect<A, E2, R>,
    places?: number
  ) => Effect.Effect<A, E | E2, R>
  /** Takes a place until the scope closes. */
  readonly scoped: (key: Key) => Effect.Effect<void, E, Scope.Scope>
  /** Taken places, and effects that wait, of all keys. */
  readonly usage: () => { readonly taken: number; readonly waiting: number }
}

/** `refused` is the result if too many wait or the wait takes too long. */
export const makeTenantQueue = <E, Key extends string = TenantKey>(
  options: TenantQueueOptions,
  refused: Effect.Effect<never, E>
): TenantQueue<E, Key> => {
  const places = new Places<Key>(options)
  const wait = (key: Key, count: number): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      let isMine = false
      let waiting: Waiting | undefined
      return Effect.callback<void>((resume) => {
        const granted = () => {
          isMine = true
          resume(Effect.void)
        }
        waiting = { count, granted }
        places.queue(key, waiting)
      }).pipe(
        Effect.timeoutOrElse({ duration: options.waitMillis, orElse: () => refused }),
        // A wait that ends while its place is granted passes the place on.
        Effect.onExit((exit) =>
          Effect.sync(() => {
            if (Exit.isSuccess(exit)) return
            if (waiting !== undefined) places.leave(key, waiting)
            if (isMine) places.release(key, count)
          })
        )
      )
    })
  const { contended, countedMillis, waitingMax, waitingTotalMax = Infinity } = options
  const acquire = (key: Key, count: number): Effect.Effect<void, E> =>
    contended === undefined
      ? acquireNow(key, count)
      : Effect.flatMap(Clock.currentTimeMillis, (now) => {
          places.note(key, now)
          return acquireNow(key, count)
        })
  const acquireNow = (key: Key, count: number): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      const queued = places.queued(key)
      if (queued === 0 && places.enter(key, count)) return Effect.void
      return queued >= waitingMax || places.queuedTotal >= waitingTotalMax ? refused : wait(key, count)
    })
  const release = (key: Key, count: number) => Effect.sync(() => places.release(key, count))
  return {
    within: <A, E2, R>(key: Key, effect: Effect.Effect<A, E2, R>, wanted = 1) =>
      Effect.suspend(() => {
        const count = Math.min(wanted, options.share)
        let isTaken = true
        const release = Effect.sync(() => {
          if (isTaken) places.release(key, count)
          isTaken = false
        })
        return Effect.acquireUseRelease(
          Effect.interruptible(acquire(key, count)),
          () => (countedMillis === undefined ? effect : runAfter(countedMillis, release, effect)),
          () => release
        )
      }),
    scoped: (key) => Effect.acquireRelease(Effect.interruptible(acquire(key, 1)), () => release(key, 1)),
    usage: () => ({ taken: options.permits - places.free, waiting: places.queuedTotal })
  }
}

/** Runs `late` if the effect still runs after `millis`. */
const runAfter = <A, E, R>(millis: number, late: Effect.Effect<void>, effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.forkDetach(Effect.delay(late, millis), { startImmediately: true }),
    () => effect,
    (timer) => Effect.sync(() => timer.interruptUnsafe())
  )

/** An effect that waits for places. */
interface Waiting {
  readonly count: number
  readonly granted: () => void
}

/** The places: how many each key has, and the queue of each key. */
class Places<Key extends string> {
  readonly #share: number
  readonly #contended: TenantQueueOptions["contended"]
  /** The last active key, and the last other key active before it. */
  #last: { readonly key: Key; at: number } | undefined
  #before: { readonly key: Key; readonly at: number } | undefined
  #free: number
  readonly #taken = new Map<Key, number>()
  /** In order of arrival; a key that got a place moves to the end. */
  readonly #waiting = new Map<Key, Set<Waiting>>()
  #queuedTotal = 0

  constructor({ contended, permits, share }: TenantQueueOptions) {
    this.#free = permits
    this.#share = share
    this.#contended = contended
  }

  get free(): number {
    return this.#free
  }

  get queuedTotal(): number {
    return this.#queuedTotal
  }

  /** Records that a key is active. */
  note(key: Key, at: number): void {
    if (this.#last?.key === key) this.#last.at = at
    else {
      this.#before = this.#last
      this.#last = { key, at }
    }
  }

  #shareOf(key: Key): number {
    if (this.#contended === undefined || this.#last === undefined) return this.#share
    const other = this.#last.key === key ? this.#before : this.#last
    const isContended =
      other !== undefined &&
      this.#last.at - other.at < this.#contended.millis &&
      this.#inFlight(key) >= Math.min(this.#inFlight(other.key), this.#share)
    return isContended ? this.#contended.share : this.#share
  }

  #inFlight(key: Key): number {
    return this.#takenBy(key) + this.queued(key)
  }

  queued(key: Key): number {
    return this.#waiting.get(key)?.size ?? 0
  }

  /** False if not enough places are free, the share of the key is exceeded, or another key is next. */
  enter(key: Key, count: number): boolean {
    return this.#next() === undefined && this.#take(key, count)
  }

  queue(key: Key, waiting: Waiting): void {
    const queue = this.#waiting.get(key) ?? new Set<Waiting>()
    this.#waiting.set(key, queue.add(waiting))
    this.#queuedTotal++
  }

  leave(key: Key, waiting: Waiting): void {
    const queue = this.#waiting.get(key)
    if (queue?.delete(waiting) === true) {
      this.#queuedTotal--
      if (queue.size === 0) this.#waiting.delete(key)
    }
    // The next waits may need fewer places.
    this.#grant()
  }

  release(key: Key, count: number): void {
    this.#free += count
    const left = this.#takenBy(key) - count
    if (left === 0) this.#taken.delete(key)
    else this.#taken.set(key, left)
    this.#grant()
  }

  #take(key: Key, count: number): boolean {
    const taken = this.#takenBy(key)
    if (count > this.#free || taken + count > this.#shareOf(key)) return false
    this.#free -= count
    this.#taken.set(key, taken + count)
    return true
  }

  #grant(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { key, queue, waiting } = next
      if (!this.#take(key, waiting.count)) return
      this.#waiting.delete(key)
      queue.delete(waiting)
      this.#queuedTotal--
      if (queue.size > 0) this.#waiting.set(key, queue)
      waiting.granted()
    }
  }

  /** The first wait of the key with the fewest places among keys below their share. */
  #next() {
    let next: { readonly key: Key; readonly queue: Set<Waiting>; readonly waiting: Waiting } | undefined
    for (const [key, queue] of this.#waiting) {
      const [waiting] = queue
      if (waiting === undefined || this.#takenBy(key) + waiting.count > this.#shareOf(key)) continue
      if (next === undefined || this.#takenBy(key) < this.#takenBy(next.key)) next = { key, queue, waiting }
    }
    return next
  }

  #takenBy(key: Key): number {
    return this.#taken.get(key) ?? 0
  }
}
