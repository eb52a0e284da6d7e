// Places before the pool: no tenant takes more than its share, and who waits the longest with the fewest places is next.
import type { TenantKey } from "@rapport/core/traffic/Tenant.ts"
import { Effect, Exit, type Scope } from "effect"

export interface FairPermitsOptions {
  readonly permits: number
  /** Places that one key may hold. */
  readonly share: number
  /** How many of one key may wait, and how long. */
  readonly waitingMax: number
  readonly waitMillis: number
}

interface FairPermits<E> {
  /** Holds a place while the effect runs. */
  readonly within: <A, E2, R>(key: TenantKey, effect: Effect.Effect<A, E2, R>) => Effect.Effect<A, E | E2, R>
  /** Holds a place until the scope closes. */
  readonly scoped: (key: TenantKey) => Effect.Effect<void, E, Scope.Scope>
}

/** `refused` is what a key gets that waited too long, or of which too many wait. */
export const makeFairPermits = <E>(
  options: FairPermitsOptions,
  refused: Effect.Effect<never, E>
): FairPermits<E> => {
  const places = new Places(options)
  const wait = (key: TenantKey): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      let isMine = false
      let granted: (() => void) | undefined
      return Effect.callback<void>((resume) => {
        granted = () => {
          isMine = true
          resume(Effect.void)
        }
        places.queue(key, granted)
      }).pipe(
        Effect.timeoutOrElse({ duration: options.waitMillis, orElse: () => refused }),
        // Given up at the very moment of the grant, the place goes on to the next.
        Effect.onExit((exit) =>
          Effect.sync(() => {
            if (Exit.isSuccess(exit)) return
            if (granted !== undefined) places.leave(key, granted)
            if (isMine) places.give(key)
          })
        )
      )
    })
  const acquire = (key: TenantKey): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      const queued = places.queued(key)
      if (queued >= options.waitingMax) return refused
      return queued === 0 && places.take(key) ? Effect.void : wait(key)
    })
  const give = (key: TenantKey) => Effect.sync(() => places.give(key))
  return {
    within: (key, effect) =>
      Effect.acquireUseRelease(
        Effect.interruptible(acquire(key)),
        () => effect,
        () => give(key)
      ),
    scoped: (key) => Effect.acquireRelease(Effect.interruptible(acquire(key)), () => give(key))
  }
}

/** The places, who holds how many of them, and who waits. */
class Places {
  readonly #share: number
  #free: number
  readonly #held = new Map<TenantKey, number>()
  /** In the order of arrival; a key that was given a place goes behind the others. */
  readonly #waiting = new Map<TenantKey, Set<() => void>>()

  constructor({ permits, share }: FairPermitsOptions) {
    this.#free = permits
    this.#share = share
  }

  queued(key: TenantKey): number {
    return this.#waiting.get(key)?.size ?? 0
  }

  /** False where no place is free, or the key has its share. */
  take(key: TenantKey): boolean {
    const held = this.#heldBy(key)
    if (this.#free === 0 || held >= this.#share) return false
    this.#free--
    this.#held.set(key, held + 1)
    return true
  }

  queue(key: TenantKey, resume: () => void): void {
    const queue = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, queue.add(resume))
  }

  leave(key: TenantKey, resume: () => void): void {
    const queue = this.#waiting.get(key)
    if (queue?.delete(resume) === true && queue.size === 0) this.#waiting.delete(key)
  }

  give(key: TenantKey): void {
    this.#free++
    const left = this.#heldBy(key) - 1
    if (left === 0) this.#held.delete(key)
    else this.#held.set(key, left)
    this.#serve()
  }

  #serve(): void {
    const key = this.#nextKey()
    const queue = key === undefined ? undefined : this.#waiting.get(key)
    const [resume] = queue ?? []
    if (key === undefined || queue === undefined || resume === undefined || !this.take(key)) return
    this.#waiting.delete(key)
    queue.delete(resume)
    if (queue.size > 0) this.#waiting.set(key, queue)
    resume()
  }

  #nextKey(): TenantKey | undefined {
    let next: TenantKey | undefined
    for (const key of this.#waiting.keys())
      if (this.#heldBy(key) < this.#share && (next === undefined || this.#heldBy(key) < this.#heldBy(next)))
        next = key
    return next
  }

  #heldBy(key: TenantKey): number {
    return this.#held.get(key) ?? 0
  }
}
