// Places before what is shared, such as connections: no tenant takes more than its share, and who waits the longest with the fewest
// places is next.
import { Clock, Effect, Exit, type Scope, Context } from "effect"
import { whenLate } from "../failures/SourceUnavailable.ts"
import { type Linked, LinkedList } from "./LinkedList.ts"

/** The service itself, requests without a session yet, or an instance. */
export type TenantKey = "service" | "anonymous" | `instance/${number}`

/** Set where a request arrives; work without a request is the service's own. */
export const CurrentTenant = Context.Reference<TenantKey>("core/traffic/CurrentTenant", {
  defaultValue: () => "service"
})

export const tenantOf = ({ instanceId }: { readonly instanceId: number }): TenantKey =>
  `instance/${instanceId}`

export interface FairPermitsOptions {
  readonly permits: number
  /** Places that one key may hold. */
  readonly share: number
  /** The smaller share of a key while another key asked within so many milliseconds. */
  readonly contended?: { readonly share: number; readonly millis: number }
  /** A place is free after so long, even if its effect still runs. */
  readonly countedMillis?: number
  /** How many of one key may wait, and how long. */
  readonly waitingMax: number
  readonly waitMillis: number
}

export interface FairPermits<E> {
  /** Holds a place while the effect runs, or so many at once; of more than a share, the share. */
  readonly within: <A, E2, R>(
    key: TenantKey,
    effect: Effect.Effect<A, E2, R>,
    places?: number
  ) => Effect.Effect<A, E | E2, R>
  /** Holds a place until the scope closes. */
  readonly scoped: (key: TenantKey) => Effect.Effect<void, E, Scope.Scope>
}

/** `refused` is what a key gets that waited too long, or of which too many wait. */
export const makeFairPermits = <E>(
  options: FairPermitsOptions,
  refused: Effect.Effect<never, E>
): FairPermits<E> => {
  const places = new Places(options)
  const wait = (key: TenantKey, count: number): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      let isMine = false
      let waiting: Linked<Waiting> | undefined
      return Effect.callback<void>((resume) => {
        const granted = () => {
          isMine = true
          resume(Effect.void)
        }
        waiting = places.queue(key, { count, granted })
      }).pipe(
        Effect.timeoutOrElse({ duration: options.waitMillis, orElse: () => refused }),
        // Given up at the very moment of the grant, the place goes on to the next.
        Effect.onExit((exit) =>
          Effect.sync(() => {
            if (Exit.isSuccess(exit)) return
            if (waiting !== undefined) places.leave(key, waiting)
            if (isMine) places.give(key, count)
          })
        )
      )
    })
  const { contended, countedMillis } = options
  const acquire = (key: TenantKey, count: number): Effect.Effect<void, E> =>
    contended === undefined
      ? acquireNow(key, count)
      : Effect.flatMap(Clock.currentTimeMillis, (now) => {
          places.note(key, now)
          return acquireNow(key, count)
        })
  const acquireNow = (key: TenantKey, count: number): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      const queued = places.queued(key)
      if (queued >= options.waitingMax) return refused
      return queued === 0 && places.enter(key, count) ? Effect.void : wait(key, count)
    })
  const give = (key: TenantKey, count: number) => Effect.sync(() => places.give(key, count))
  return {
    within: <A, E2, R>(key: TenantKey, effect: Effect.Effect<A, E2, R>, wanted = 1) =>
      Effect.suspend(() => {
        const count = Math.min(wanted, options.share)
        let isHeld = true
        const release = Effect.sync(() => {
          if (isHeld) places.give(key, count)
          isHeld = false
        })
        return Effect.acquireUseRelease(
          Effect.interruptible(acquire(key, count)),
          () =>
            countedMillis === undefined
              ? effect
              : whenLate<A, E2, A, E2, never>(countedMillis, (rest) => Effect.andThen(release, rest))(effect),
          () => release
        )
      }),
    scoped: (key) => Effect.acquireRelease(Effect.interruptible(acquire(key, 1)), () => give(key, 1))
  }
}

/** Who waits, and for how many places. */
interface Waiting {
  readonly count: number
  readonly granted: () => void
}

/** The places, who holds how many of them, and who waits. */
class Places {
  readonly #share: number
  readonly #contended: FairPermitsOptions["contended"]
  /** The key that asked last, and the other key that asked last before it. */
  #last: { readonly key: TenantKey; at: number } | undefined
  #before: { readonly key: TenantKey; readonly at: number } | undefined
  #free: number
  readonly #held = new Map<TenantKey, number>()
  /** In the order of arrival; a key that was given a place goes behind the others. */
  readonly #waiting = new Map<TenantKey, LinkedList<Waiting>>()

  constructor({ contended, permits, share }: FairPermitsOptions) {
    this.#free = permits
    this.#share = share
    this.#contended = contended
  }

  /** A key asked at this time. */
  note(key: TenantKey, at: number): void {
    if (this.#last?.key === key) this.#last.at = at
    else {
      this.#before = this.#last
      this.#last = { key, at }
    }
  }

  #shareOf(key: TenantKey): number {
    if (this.#contended === undefined || this.#last === undefined) return this.#share
    const other = this.#last.key === key ? this.#before : this.#last
    const isContended = other !== undefined && this.#last.at - other.at < this.#contended.millis
    return isContended ? this.#contended.share : this.#share
  }

  queued(key: TenantKey): number {
    return this.#waiting.get(key)?.size ?? 0
  }

  /** False where so many are not free, or more than the share of the key, or somebody waits who is next. */
  enter(key: TenantKey, count: number): boolean {
    return this.#next() === undefined && this.#take(key, count)
  }

  queue(key: TenantKey, waiting: Waiting): Linked<Waiting> {
    const known = this.#waiting.get(key)
    const queue = known ?? new LinkedList<Waiting>()
    if (known === undefined) this.#waiting.set(key, queue)
    return queue.add(waiting)
  }

  leave(key: TenantKey, waiting: Linked<Waiting>): void {
    const queue = this.#waiting.get(key)
    if (queue?.remove(waiting) === true && queue.size === 0) this.#waiting.delete(key)
    // Who was behind them may need less.
    this.#serve()
  }

  give(key: TenantKey, count: number): void {
    this.#free += count
    const left = this.#heldBy(key) - count
    if (left === 0) this.#held.delete(key)
    else this.#held.set(key, left)
    this.#serve()
  }

  #take(key: TenantKey, count: number): boolean {
    const held = this.#heldBy(key)
    if (count > this.#free || held + count > this.#shareOf(key)) return false
    this.#free -= count
    this.#held.set(key, held + count)
    return true
  }

  #serve(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { key, queue, waiting } = next
      if (!this.#take(key, waiting.count)) return
      this.#waiting.delete(key)
      queue.shift()
      if (queue.size > 0) this.#waiting.set(key, queue)
      waiting.granted()
    }
  }

  /** The first of the key that holds the fewest, of those that their share lets in. */
  #next() {
    let next:
      | { readonly key: TenantKey; readonly queue: LinkedList<Waiting>; readonly waiting: Waiting }
      | undefined
    for (const [key, queue] of this.#waiting) {
      const waiting = queue.first
      if (waiting === undefined || this.#heldBy(key) + waiting.count > this.#shareOf(key)) continue
      if (next === undefined || this.#heldBy(key) < this.#heldBy(next.key)) next = { key, queue, waiting }
    }
    return next
  }

  #heldBy(key: TenantKey): number {
    return this.#held.get(key) ?? 0
  }
}
