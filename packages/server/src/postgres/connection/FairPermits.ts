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

export interface FairPermits<E> {
  /** Holds a place while the effect runs. */
  readonly within: <A, E2, R>(key: TenantKey, effect: Effect.Effect<A, E2, R>) => Effect.Effect<A, E | E2, R>
  /** Holds a place until the scope closes. */
  readonly scoped: (key: TenantKey) => Effect.Effect<void, E, Scope.Scope>
}

/** `refused` is what a key gets that waited too long, or of which too many wait. */
export const makeFairPermits = <E>(
  { permits, share, waitMillis, waitingMax }: FairPermitsOptions,
  refused: Effect.Effect<never, E>
): FairPermits<E> => {
  let free = permits
  const held = new Map<TenantKey, number>()
  /** Who waits, in the order of arrival; a key that was served goes behind the others. */
  const waiting = new Map<TenantKey, Set<() => void>>()

  const heldBy = (key: TenantKey): number => held.get(key) ?? 0
  const take = (key: TenantKey): void => {
    free--
    held.set(key, heldBy(key) + 1)
  }
  const nextKey = (): TenantKey | undefined => {
    let next: TenantKey | undefined
    for (const key of waiting.keys())
      if (heldBy(key) < share && (next === undefined || heldBy(key) < heldBy(next))) next = key
    return next
  }
  const leave = (key: TenantKey, resume: () => void): void => {
    const queue = waiting.get(key)
    if (queue?.delete(resume) === true && queue.size === 0) waiting.delete(key)
  }
  const serve = (): void => {
    const key = free > 0 ? nextKey() : undefined
    const queue = key === undefined ? undefined : waiting.get(key)
    const [resume] = queue ?? []
    if (key === undefined || queue === undefined || resume === undefined) return
    waiting.delete(key)
    queue.delete(resume)
    if (queue.size > 0) waiting.set(key, queue)
    take(key)
    resume()
  }
  const give = (key: TenantKey): void => {
    free++
    const left = heldBy(key) - 1
    if (left === 0) held.delete(key)
    else held.set(key, left)
    serve()
  }

  const wait = (key: TenantKey): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      let isMine = false
      let granted: (() => void) | undefined
      return Effect.callback<void>((resume) => {
        const queue = waiting.get(key) ?? new Set()
        granted = () => {
          isMine = true
          resume(Effect.void)
        }
        waiting.set(key, queue.add(granted))
      }).pipe(
        Effect.timeoutOrElse({ duration: waitMillis, orElse: () => refused }),
        // Given up at the very moment of the grant, the place goes on to the next.
        Effect.onExit((exit) =>
          Effect.sync(() => {
            if (Exit.isSuccess(exit)) return
            if (granted !== undefined) leave(key, granted)
            if (isMine) give(key)
          })
        )
      )
    })

  const acquire = (key: TenantKey): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      const queued = waiting.get(key)?.size ?? 0
      if (queued >= waitingMax) return refused
      if (queued > 0 || free === 0 || heldBy(key) >= share) return wait(key)
      take(key)
      return Effect.void
    })

  return {
    within: (key, effect) =>
      Effect.acquireUseRelease(
        Effect.interruptible(acquire(key)),
        () => effect,
        () => Effect.sync(() => give(key))
      ),
    scoped: (key) =>
      Effect.acquireRelease(Effect.interruptible(acquire(key)), () => Effect.sync(() => give(key)))
  }
}
