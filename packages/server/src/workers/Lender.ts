// The limits of all workers, in their parent. It lends them parts of buckets and places, so that not every request of a worker asks.
// What is lent counts as taken. Where too little is left it is called back before anybody is refused: limits are as exact as in
// one process. What a worker held that is gone: its places are free, its part of a bucket counts as used.
import type { TrafficLimit, TrafficLimits } from "@rapport/contract/Limits.ts"
import { type Places, type Buckets, makeBucketsOf } from "@rapport/core/traffic/RateLimits.ts"
import type { BorrowerNote, LenderNote, Returned } from "./Messages.ts"
import { EXTRA_MAX, EXTRA_SHARE, RECALL_MILLIS_MAX } from "./WorkerLimits.ts"

export interface LenderOptions {
  readonly limits: TrafficLimits
  readonly workers: number
  readonly now: () => number
  /** Runs it later; the result does so no more. */
  readonly after: (millis: number, run: () => void) => () => void
}

/** Of one worker. */
export interface Borrower {
  readonly hear: (note: BorrowerNote) => void
  readonly ended: () => void
}

type Post = (note: LenderNote) => void

/** What is lent of one limit by one key; it is remembered while it is. */
interface Lent {
  readonly limit: TrafficLimit
  readonly key: string
  /** Of a rate; places are counted by `total` alone. */
  readonly buckets: Buckets | undefined
  readonly of: Map<Post, number>
  total: number
  recall: Recall | undefined
}

/** Workers are asked to give back what they do not use. */
interface Recall {
  readonly number: number
  readonly waitsFor: Set<Post>
  /** Asked before it began; of those who asked later a worker may have something again. */
  readonly before: Array<() => void>
  readonly later: Array<() => void>
  readonly cancel: () => void
}

/** Answers, or says of what too little is left though it may be called back. */
type Attempt = (recalled: ReadonlySet<string>) => Lent | undefined

const nameOf = (limit: TrafficLimit, key: string): string => `${limit} ${key}`

export class Lender {
  readonly #options: LenderOptions
  readonly #bucketsOf: (limit: TrafficLimit) => Buckets
  readonly #lent = new Map<string, Lent>()
  #recalls = 0

  constructor(options: LenderOptions) {
    this.#options = options
    this.#bucketsOf = makeBucketsOf(options.limits)
  }

  borrower(post: Post): Borrower {
    let isGone = false
    return {
      hear: (note) => {
        if (!isGone) this.#hear(post, () => isGone, note)
      },
      ended: () => {
        isGone = true
        const touched = [...this.#lent.values()].filter(
          (lent) => lent.of.has(post) || lent.recall?.waitsFor.has(post)
        )
        for (const lent of touched) {
          this.#reduce(post, lent, 0, lent.of.get(post) ?? 0)
          this.#answered(lent, post)
        }
      }
    }
  }

  #hear(post: Post, isGone: () => boolean, note: BorrowerNote): void {
    if (note._tag === "GiveBack") {
      for (const returned of note.returned) this.#giveBack(post, returned)
      for (const { key, limit } of note.recall === null ? [] : note.returned) {
        const lent = this.#lent.get(nameOf(limit, key))
        if (lent?.recall?.number === note.recall) this.#answered(lent, post)
      }
      return
    }
    if (note._tag === "BorrowRate") this.#giveBack(post, note.returned)
    const attempt = note._tag === "BorrowRate" ? this.#ofRate(post, note) : this.#ofPlaces(post, note)
    this.#try((recalled) => (isGone() ? undefined : attempt(recalled)), this.#recalls, new Set())
  }

  #ofRate(
    post: Post,
    { amount, extra, id, returned }: Extract<BorrowerNote, { _tag: "BorrowRate" }>
  ): Attempt {
    const { key, limit } = returned
    const buckets = this.#bucketsOf(limit)
    return (recalled) => {
      const now = this.#options.now()
      const lent = this.#lent.get(nameOf(limit, key))
      const quota = buckets.take(key, amount, now, lent?.total)
      const { remaining, retryAfterMillis } = quota
      if (retryAfterMillis !== null && lent !== undefined && !recalled.has(nameOf(limit, key))) return lent
      const spare = Math.floor(remaining / (EXTRA_SHARE * this.#options.workers))
      const room = EXTRA_MAX - (lent?.of.get(post) ?? 0)
      const mayLend = retryAfterMillis === null && lent?.recall === undefined
      const more = mayLend ? Math.max(0, Math.min(extra, spare, room)) : 0
      const { wholeAfterMillis } = more > 0 ? buckets.take(key, more, now, lent?.total) : quota
      this.#lend(post, limit, key, more, buckets)
      post({ _tag: "Rate", id, limit, key, wholeAfterMillis, retryAfterMillis, extra: more })
      return undefined
    }
  }

  #ofPlaces(post: Post, { id, places }: { readonly id: number; readonly places: Places }): Attempt {
    return (recalled) => {
      const full = places
        .map(([limit, key]) => this.#lent.get(nameOf(limit, key)))
        .find((lent) => lent !== undefined && lent.total >= this.#options.limits[lent.limit])
      if (full !== undefined && !recalled.has(nameOf(full.limit, full.key))) return full
      if (full === undefined) for (const [limit, key] of places) this.#lend(post, limit, key, 1)
      post({ _tag: "Places", id, places, full: full?.limit ?? null })
      return undefined
    }
  }

  /** Until it is answered. What is short is called back once, after it was `asked`, which is the number of recalls before. */
  #try(attempt: Attempt, asked: number, recalled: ReadonlySet<string>): void {
    const short = attempt(recalled)
    if (short === undefined) return
    const recall = short.recall ?? this.#recall(short)
    const name = nameOf(short.limit, short.key)
    if (recall.number > asked)
      recall.before.push(() => this.#try(attempt, asked, new Set([...recalled, name])))
    else recall.later.push(() => this.#try(attempt, asked, recalled))
  }

  #recall(lent: Lent): Recall {
    const { key, limit } = lent
    const recall: Recall = {
      number: ++this.#recalls,
      waitsFor: new Set(lent.of.keys()),
      before: [],
      later: [],
      cancel: this.#options.after(RECALL_MILLIS_MAX, () => this.#recalled(lent))
    }
    lent.recall = recall
    for (const post of recall.waitsFor) post({ _tag: "Recall", limit, key, recall: recall.number })
    return recall
  }

  #answered(lent: Lent, post: Post): void {
    if (lent.recall?.waitsFor.delete(post) && lent.recall.waitsFor.size === 0) this.#recalled(lent)
  }

  #recalled(lent: Lent): void {
    const { recall } = lent
    if (recall === undefined) return
    recall.cancel()
    lent.recall = undefined
    this.#forget(lent)
    for (const run of [...recall.before, ...recall.later]) run()
  }

  #lend(post: Post, limit: TrafficLimit, key: string, amount: number, buckets?: Buckets): void {
    if (amount === 0) return
    const name = nameOf(limit, key)
    const lent = this.#lent.get(name) ?? { limit, key, buckets, of: new Map(), total: 0, recall: undefined }
    this.#lent.set(name, lent)
    lent.of.set(post, (lent.of.get(post) ?? 0) + amount)
    lent.total += amount
  }

  #giveBack(post: Post, { key, limit, unused, used }: Returned): void {
    const lent = this.#lent.get(nameOf(limit, key))
    if (lent !== undefined) this.#reduce(post, lent, unused, used)
  }

  #reduce(post: Post, lent: Lent, unused: number, used: number): void {
    const held = lent.of.get(post) ?? 0
    if (held === 0) return
    lent.buckets?.giveBack(lent.key, unused, this.#options.now(), lent.total)
    const left = held - unused - used
    lent.total += left - held
    if (left > 0) lent.of.set(post, left)
    else lent.of.delete(post)
    this.#forget(lent)
  }

  #forget(lent: Lent): void {
    if (lent.total === 0 && lent.recall === undefined) this.#lent.delete(nameOf(lent.limit, lent.key))
  }
}
