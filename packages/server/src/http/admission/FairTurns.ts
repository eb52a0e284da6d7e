// Work that arrives in a burst is begun in slices, in turn between those on whose behalf it is done: between two slices the
// event loop serves everything else, so the first request of one tenant does not wait for hundreds of another.

/** How long one turn of the event loop may be spent with beginning work. */
const SLICE_MILLIS = 2
/** After a long turn the slice is longer, too, up to this. */
const SLICE_MILLIS_MAX = 4

/**
 * Node accepts one connection in a turn of the event loop. Turns that are filled with work would let callers wait for seconds
 * before they are heard, so while connections come, so many turns are left to them between two slices.
 */
const TURNS_FOR_CONNECTIONS = 16

export interface FairTurnsOptions {
  /** Pieces of work that wait; more are not taken. */
  readonly waitingMax: number
  readonly sliceMillis?: number
  /** Of the time since the slice before, what the next may take, where that is more. */
  readonly share?: number
  /** Whether work of a key may begin now; call `resume` when that changes. */
  readonly mayBegin?: (key: string) => boolean
  /** Whether so little is asked for a key that its work waits neither for the turns of others nor for connections. */
  readonly asksLittle?: (key: string) => boolean
  /** Connections that were accepted so far. */
  readonly accepted?: () => number
}

export class FairTurns {
  readonly #waitingMax: number
  readonly #leastMillis: number
  readonly #share: number
  readonly #mayBegin: (key: string) => boolean
  readonly #asksLittle: (key: string) => boolean
  readonly #accepted: () => number
  /** How many had been accepted before this turn, and how many turns were left to further ones. */
  #acceptedBefore = 0
  #turnsLeft = 0
  #sliceMillis: number
  #endedAt = 0
  /** In turn; a key that had its turn goes behind the others. */
  readonly #waiting = new Map<string, Array<() => void>>()
  #waitingCount = 0
  /** Spent in this turn of the event loop. */
  #spentMillis = 0
  /** Spent since the slice before for those who ask for little. */
  #littleMillis = 0
  #isScheduled = false

  constructor({
    accepted = () => 0,
    asksLittle = () => false,
    mayBegin = () => true,
    share = 0,
    sliceMillis = SLICE_MILLIS,
    waitingMax
  }: FairTurnsOptions) {
    this.#accepted = accepted
    this.#asksLittle = asksLittle
    this.#mayBegin = mayBegin
    this.#leastMillis = sliceMillis
    this.#sliceMillis = sliceMillis
    this.#share = share
    this.#waitingMax = waitingMax
  }

  /** Begins the work at once while the slice lasts, else when the key has its turn; false: too much waits already. */
  begin(key: string, work: () => void): boolean {
    if (this.#waitingCount >= this.#waitingMax) return false
    this.#schedule()
    if (this.#mayPass(key)) {
      this.#littleMillis += millisOf(work)
      return true
    }
    const isFirst = this.#waitingCount === 0 || !this.#canGoOn()
    const isInTime = this.#spentMillis < this.#sliceMillis && this.#accepted() === this.#acceptedBefore
    if (isFirst && isInTime && this.#mayBegin(key)) {
      this.#run(work)
      return true
    }
    const queue = this.#waiting.get(key)
    if (queue === undefined) this.#waiting.set(key, [work])
    else queue.push(work)
    this.#waitingCount++
    return true
  }

  /** What waits may perhaps begin. */
  resume(): void {
    if (this.#waitingCount > 0) this.#schedule()
  }

  /** So many who ask for little that a slice is full wait as everybody does: connections have turns left. */
  #mayPass(key: string): boolean {
    if (this.#littleMillis >= this.#leastMillis || this.#waiting.has(key)) return false
    return this.#asksLittle(key) && this.#mayBegin(key)
  }

  /** Whether some of what waits may begin. */
  #canGoOn(): boolean {
    for (const key of this.#waiting.keys()) if (this.#mayBegin(key)) return true
    return false
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (this.#leavesTurn()) return this.#schedule()
      this.#spentMillis = 0
      this.#littleMillis = 0
      const passed = performance.now() - this.#endedAt
      this.#sliceMillis = Math.max(this.#leastMillis, Math.min(SLICE_MILLIS_MAX, passed * this.#share))
      this.#slice()
      this.#endedAt = performance.now()
    })
  }

  /** Whether a connection was accepted in this turn, so that more may wait. */
  #leavesTurn(): boolean {
    const accepted = this.#accepted()
    const leaves = accepted !== this.#acceptedBefore && this.#turnsLeft < TURNS_FOR_CONNECTIONS
    this.#acceptedBefore = accepted
    this.#turnsLeft = leaves ? this.#turnsLeft + 1 : 0
    return leaves
  }

  #slice(): void {
    do {
      const work = this.#next()
      if (work === undefined) break
      this.#run(work)
    } while (this.#spentMillis < this.#sliceMillis)
    // What begins before the next slice is counted in this one.
    if (this.#spentMillis > 0 || this.#canGoOn()) this.#schedule()
  }

  #run(work: () => void): void {
    this.#spentMillis += millisOf(work)
  }

  #next(): (() => void) | undefined {
    for (const [key, queue] of this.#waiting) {
      if (!this.#mayBegin(key)) continue
      const work = queue.shift()
      this.#waiting.delete(key)
      if (queue.length > 0) this.#waiting.set(key, queue)
      this.#waitingCount--
      return work
    }
    return undefined
  }
}

const millisOf = (work: () => void): number => {
  const began = performance.now()
  work()
  return performance.now() - began
}
