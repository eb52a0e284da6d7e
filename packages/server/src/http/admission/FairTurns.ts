// Work that arrives in a burst is begun in slices, in turn between those on whose behalf it is done: between two slices the
// event loop serves everything else, so the first request of one tenant does not wait for hundreds of another.

/** How long one turn of the event loop may be spent with beginning work. */
const SLICE_MILLIS = 5

export interface FairTurnsOptions {
  /** Pieces of work that wait; more are not taken. */
  readonly waitingMax: number
  readonly sliceMillis?: number
}

export class FairTurns {
  readonly #waitingMax: number
  readonly #sliceMillis: number
  /** In turn; a key that had its turn goes behind the others. */
  readonly #waiting = new Map<string, Array<() => void>>()
  #waitingCount = 0
  /** Spent in this turn of the event loop. */
  #spentMillis = 0
  #isScheduled = false

  constructor({ sliceMillis = SLICE_MILLIS, waitingMax }: FairTurnsOptions) {
    this.#sliceMillis = sliceMillis
    this.#waitingMax = waitingMax
  }

  /** Begins the work at once while the slice lasts, else when the key has its turn; false: too much waits already. */
  begin(key: string, work: () => void): boolean {
    if (this.#waitingCount >= this.#waitingMax) return false
    this.#schedule()
    if (this.#waitingCount === 0 && this.#spentMillis < this.#sliceMillis) {
      this.#run(work)
      return true
    }
    const queue = this.#waiting.get(key)
    if (queue === undefined) this.#waiting.set(key, [work])
    else queue.push(work)
    this.#waitingCount++
    return true
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#spentMillis = 0
      this.#slice()
    })
  }

  #slice(): void {
    do {
      const work = this.#next()
      if (work === undefined) break
      this.#run(work)
    } while (this.#spentMillis < this.#sliceMillis)
    // What begins before the next slice is counted in this one.
    if (this.#waitingCount > 0 || this.#spentMillis > 0) this.#schedule()
  }

  #run(work: () => void): void {
    const began = performance.now()
    work()
    this.#spentMillis += performance.now() - began
  }

  #next(): (() => void) | undefined {
    for (const [key, queue] of this.#waiting) {
      const work = queue.shift()
      this.#waiting.delete(key)
      if (queue.length > 0) this.#waiting.set(key, queue)
      this.#waitingCount--
      return work
    }
    return undefined
  }
}
