// What a worker has borrowed of the limits that its parent counts (Lender.ts): the first requests of a key ask, those that follow
// find something here. What was not needed for a while goes back, and all of it where the parent asks for it.
import type { TrafficLimit, TrafficLimits } from "@rapport/contract/Limits.ts"
import {
  type Places,
  type Taken,
  type Quota,
  quotaOf,
  RATE_WINDOW_MILLIS
} from "@rapport/core/traffic/RateLimits.ts"
import { Numbered } from "@rapport/core/traffic/Numbered.ts"
import { Effect } from "effect"
import type { BorrowerNote, LenderNote, Returned } from "./Messages.ts"
import { BORROWED_LOOK_MILLIS, EXTRA_MAX } from "./WorkerLimits.ts"

export interface BorrowedOptions {
  readonly limits: TrafficLimits
  readonly post: (note: BorrowerNote) => void
  readonly now: () => number
  readonly after: (millis: number, run: () => void) => void
}

/** Of one limit by one key. */
interface Held {
  readonly limit: TrafficLimit
  readonly key: string
  unused: number
  /** The least that was unused since the last look: nobody needed it. */
  least: number
  /** Since the parent was told. Places that are used come back, so it hears of none. */
  used: number
  /** Requests of late: as many are borrowed beforehand. */
  recent: number
  /** When the bucket is whole, were all that is lent of it used. */
  wholeAt: number
}

type Settle<A> = (answer: A) => void

export class Borrowed {
  readonly #options: BorrowedOptions
  readonly #held = new Map<string, Held>()
  readonly #rates = new Numbered<Settle<Quota>>()
  readonly #places = new Numbered<Settle<Taken>>()
  #lastId = 0
  #isLooking = false

  constructor(options: BorrowedOptions) {
    this.#options = options
  }

  /** So much of a bucket, where it is here. */
  takeRate(limit: TrafficLimit, key: string, amount: number): Quota | undefined {
    const held = this.#hold(limit, key)
    held.recent = Math.min(held.recent + 1, EXTRA_MAX)
    if (held.unused < Math.max(amount, 1)) return undefined
    held.used += amount
    this.#use(held, amount)
    return this.#quotaOf(held, null)
  }

  /** Asks the parent for it; the result waits for the answer no more. */
  borrowRate(limit: TrafficLimit, key: string, amount: number, settle: Settle<Quota>): () => void {
    const held = this.#hold(limit, key)
    const id = ++this.#lastId
    this.#rates.put(id, settle)
    // What was asked for once is not borrowed beforehand.
    const extra = amount === 0 ? 0 : held.recent - 1
    this.#options.post({ _tag: "BorrowRate", id, amount, extra, returned: this.#emptied(held) })
    return () => void this.#rates.take(id)
  }

  /** A place of each, where all are here. */
  takePlaces(places: Places): Taken | undefined {
    const held = places.map(([limit, key]) => this.#hold(limit, key))
    if (held.some(({ unused }) => unused === 0)) return undefined
    for (const one of held) this.#use(one, 1)
    return this.#taken(places)
  }

  /** Asks the parent for them; the result waits for the answer no more, and gives back what has come. */
  borrowPlaces(places: Places, settle: Settle<Taken>): () => void {
    const id = ++this.#lastId
    let taken: Taken | undefined
    this.#places.put(id, (answer) => {
      taken = answer
      settle(answer)
    })
    this.#options.post({ _tag: "BorrowPlaces", id, places })
    return () => {
      if (this.#places.take(id) === undefined && taken !== undefined && "give" in taken) this.#give(places)
    }
  }

  hear(note: LenderNote): void {
    if (note._tag === "Recall") return this.#recalled(note)
    if (note._tag === "Rate") return this.#rateLent(note)
    const settle = this.#places.take(note.id)
    if (note.full !== null) return settle?.({ full: note.full })
    if (settle === undefined) this.#give(note.places)
    else settle(this.#taken(note.places))
  }

  #rateLent({
    extra,
    id,
    key,
    limit,
    retryAfterMillis,
    wholeAfterMillis
  }: Extract<LenderNote, { _tag: "Rate" }>) {
    const held = this.#hold(limit, key)
    held.unused += extra
    held.wholeAt = this.#options.now() + wholeAfterMillis
    this.#rates.take(id)?.(this.#quotaOf(held, retryAfterMillis))
  }

  #recalled({ key, limit, recall }: Extract<LenderNote, { _tag: "Recall" }>) {
    const returned = this.#emptied(this.#hold(limit, key))
    this.#options.post({ _tag: "GiveBack", returned: [returned], recall })
  }

  /** All that is unused is no longer here. */
  #emptied(held: Held): Returned {
    const { key, limit, unused, used } = held
    held.unused = 0
    held.least = 0
    held.used = 0
    return { limit, key, unused, used }
  }

  #use(held: Held, amount: number): void {
    held.unused -= amount
    held.least = Math.min(held.least, held.unused)
  }

  #taken(places: Places): Taken {
    return { give: Effect.sync(() => this.#give(places)) }
  }

  #give(places: Places): void {
    for (const [limit, key] of places) this.#hold(limit, key).unused++
  }

  #hold(limit: TrafficLimit, key: string): Held {
    const name = `${limit} ${key}`
    const known = this.#held.get(name)
    if (known !== undefined) return known
    const held = { limit, key, unused: 0, least: 0, used: 0, recent: 0, wholeAt: 0 }
    this.#held.set(name, held)
    this.#lookLater()
    return held
  }

  #lookLater(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.#options.after(BORROWED_LOOK_MILLIS, () => {
      this.#isLooking = false
      this.#look()
      if (this.#held.size > 0) this.#lookLater()
    })
  }

  /** Gives back what nobody needed since the last look, and says what was used. */
  #look(): void {
    const returned: Array<Returned> = []
    for (const [name, held] of this.#held) {
      const { key, least, limit, used } = held
      if (least > 0 || used > 0) returned.push({ limit, key, unused: least, used })
      held.unused -= least
      held.least = held.unused
      held.used = 0
      held.recent = Math.floor(held.recent / 2)
      if (held.unused === 0 && held.recent === 0) this.#held.delete(name)
    }
    if (returned.length > 0) this.#options.post({ _tag: "GiveBack", returned, recall: null })
  }

  #quotaOf({ limit, unused, wholeAt }: Held, retryAfterMillis: number | null): Quota {
    const perMinute = this.#options.limits[limit]
    const wholeAfter = wholeAt - (unused * RATE_WINDOW_MILLIS) / perMinute - this.#options.now()
    return quotaOf(perMinute, Math.max(0, wholeAfter), retryAfterMillis)
  }
}
