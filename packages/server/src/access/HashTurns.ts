// Turns at slow work: a few at a time, in a fair order, in queues with a bound and a deadline, so that a flood of logins
// holds up neither other addresses nor those who are known already (docs/contract.md §10, §12).
import { RateLimited } from "@rapport/contract/Errors.ts"
import type { Asker } from "@rapport/core/access/Passwords.ts"
import { Deferred, Effect } from "effect"

interface TurnBounds {
  /** Work that runs at the same time. */
  readonly atOnce: number
  /** What waits of one asker, and of one key among it; more is refused. */
  readonly waitingMax: number
  readonly waitingOfKeyMax: number
  readonly waitMillisMax: number
}

interface Waiter {
  readonly turn: Deferred.Deferred<void>
  granted: boolean
}

/** What waits of one asker: its keys take turns, and each key's work keeps its order. */
class Line {
  readonly #keys = new Map<string, Array<Waiter>>()
  size = 0

  of(key: string): ReadonlyArray<Waiter> {
    return this.#keys.get(key) ?? []
  }
  add(key: string, waiter: Waiter): void {
    this.#keys.set(key, [...this.of(key), waiter])
    this.size++
  }
  remove(key: string, waiter: Waiter): void {
    const rest = this.of(key).filter((other) => other !== waiter)
    this.size -= this.of(key).length - rest.length
    if (rest.length === 0) this.#keys.delete(key)
    else this.#keys.set(key, rest)
  }
  next(): Waiter | undefined {
    for (const [key, [first, ...rest]] of this.#keys) {
      // Behind all other keys from now on.
      this.#keys.delete(key)
      if (rest.length > 0) this.#keys.set(key, rest)
      if (first === undefined) continue
      this.size--
      return first
    }
    return undefined
  }
}

type Turns = (
  asker: Asker,
  key: string
) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>

export const makeTurns = ({ atOnce, waitMillisMax, waitingMax, waitingOfKeyMax }: TurnBounds): Turns => {
  const lines = { known: new Line(), open: new Line() }
  let running = 0
  let last: Asker = "open"

  const give = () => {
    running--
    // The two askers alternate where both wait.
    const other: Asker = last === "open" ? "known" : "open"
    const asker = lines[other].size > 0 ? other : last
    const waiter = lines[asker].next()
    if (waiter === undefined) return
    last = asker
    running++
    waiter.granted = true
    Deferred.doneUnsafe(waiter.turn, Effect.void)
  }

  const take = (asker: Asker, key: string): Effect.Effect<void, RateLimited> =>
    Effect.suspend(() => {
      if (running < atOnce) {
        running++
        return Effect.void
      }
      const line = lines[asker]
      if (line.size >= waitingMax || line.of(key).length >= waitingOfKeyMax) return crowded
      const waiter: Waiter = { turn: Deferred.makeUnsafe<void>(), granted: false }
      line.add(key, waiter)
      const waited = Effect.timeoutOrElse(Deferred.await(waiter.turn), {
        duration: waitMillisMax,
        orElse: () => crowded
      })
      return Effect.interruptible(waited).pipe(
        Effect.onError(() => Effect.sync(() => (waiter.granted ? give() : line.remove(key, waiter))))
      )
    })

  return (asker, key) => (work) =>
    Effect.acquireUseRelease(
      take(asker, key),
      () => work,
      () => Effect.sync(give)
    )
}

const crowded = Effect.suspend(() =>
  Effect.fail(
    new RateLimited({
      detail: "too many passwords are being checked: try again later",
      limit: { kind: "concurrency", retryAfterMs: 1_000 }
    })
  )
)
