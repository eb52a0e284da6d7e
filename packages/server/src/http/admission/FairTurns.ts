// Work that arrives in a burst is begun in slices, in turn between those on whose behalf it is done: between two slices the
// event loop serves everything else, so the first request of one tenant does not wait for hundreds of another.

/** How long one turn of the event loop may be spent with beginning work. */
const SLICE_MILLIS = 2
/** After a long turn the slice is longer, too, up to this. */
const SLICE_MILLIS_MAX = 20

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

/** Requests of one key that are worked on at once: the statements of so many fit on one lane of the database, where they leave together. */
const AT_ONCE_ALONE = 16
/** While others are active. */
const AT_ONCE = 3
/** Of all keys together, while more than one has any. One of each may begin, whatever the others do. */
const TOGETHER = 2
/** A request that takes longer waits for something else and counts no more. */
const COUNTED_MILLIS = 100
/** How long others count as active after they asked. */
const ACTIVE_MILLIS = 1_000

/**
 * How many requests of one tenant are worked on at once. Everything that is worked on shares the event loop and the database, and
 * each step of a request waits for a step of every other: the fewer of a crowd are worked on at once, the less a neighbour waits,
 * and the shorter are the turns in which connections are accepted. Two or three keep the event loop and the database busy, so the
 * crowd is served no slower.
 */
export class Running {
  /** Worked on and counted. */
  readonly #counts = new Map<string, number>()
  #total = 0
  /** Waiting or worked on. */
  readonly #asked = new Map<string, number>()
  /** Who asked last, and who before them. */
  #last: { readonly key: string; at: number } | undefined
  #before: { readonly key: string; at: number } | undefined

  /** Whether one more may begin. */
  mayBegin(key: string): boolean {
    const own = this.#counts.get(key) ?? 0
    if (own === 0) return true
    if (!this.#isContended(key)) return own < AT_ONCE_ALONE
    if (this.asksLittle(key)) return true
    return own < AT_ONCE && (own === this.#total || this.#total < TOGETHER)
  }

  /** Who asks for little is no crowd and waits for none. Of a key that was not noted nothing is known. */
  asksLittle(key: string): boolean {
    const asked = this.#asked.get(key)
    return asked !== undefined && asked <= AT_ONCE
  }

  /**
   * Ends one that only waits for what others write, and where no other key is active, so need not count. Holds nothing of the request:
   * it is noted of it.
   */
  leaving(key: string, end: () => void): () => void {
    return () => {
      if (!this.#isContended(key)) end()
    }
  }

  /** Somebody asks, whether they may begin or not; the result says once that they are answered or gone. */
  note(key: string): () => void {
    this.#asked.set(key, (this.#asked.get(key) ?? 0) + 1)
    const at = performance.now()
    if (this.#last?.key === key) this.#last.at = at
    else {
      this.#before = this.#last
      this.#last = { key, at }
    }
    let isAsking = true
    return () => {
      if (isAsking) takeOne(this.#asked, key)
      isAsking = false
    }
  }

  /** Begins one; the result ends it, once, as time does. */
  begin(key: string, onEnd: () => void): () => void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    this.#total++
    let isCounted = true
    const end = () => {
      if (!isCounted) return
      isCounted = false
      clearTimeout(timer)
      this.#total--
      takeOne(this.#counts, key)
      onEnd()
    }
    const timer = setTimeout(end, COUNTED_MILLIS).unref()
    return end
  }

  #isContended(key: string): boolean {
    const other = this.#last?.key === key ? this.#before : this.#last
    return other !== undefined && performance.now() - other.at < ACTIVE_MILLIS
  }
}

const takeOne = (counts: Map<string, number>, key: string): void => {
  const left = (counts.get(key) ?? 1) - 1
  if (left === 0) counts.delete(key)
  else counts.set(key, left)
}
