// How many requests of one tenant are worked on at once.
import type { Room } from "./Room.ts"

/** Requests of one key that are worked on at once: the statements of so many fit on one lane of the database, where they leave together. */
const AT_ONCE_ALONE = 16
/** Who asks for no more at a time is no crowd. */
const LITTLE = 3
/** Of all keys together, while more than one has any: this part of what one may. One of each may begin, whatever the others do. */
const TOGETHER_SHARE = 2 / 3
/** A request that takes longer waits for something else and counts no more. */
const COUNTED_MILLIS = 100
/** How long others count as active after they asked. */
const ACTIVE_MILLIS = 1_000

/**
 * How many requests of one tenant are worked on at once. Everything that is worked on shares the event loop and the database, and
 * each step of a request waits for a step of every other: the fewer of a crowd are worked on at once, the less a neighbour waits,
 * and the shorter are the turns in which connections are accepted. How many that are while others are active, {@link Room} says.
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
  readonly #room: Room

  constructor(room: Room) {
    this.#room = room
  }

  /** Whether one more may begin. */
  mayBegin(key: string): boolean {
    const own = this.#counts.get(key) ?? 0
    if (own === 0) return true
    if (!this.#isContended(key)) return own < AT_ONCE_ALONE
    if (this.asksLittle(key)) return true
    return own === this.#total ? !this.#room.isFull(own) : !this.#room.isFull(this.#total, TOGETHER_SHARE)
  }

  /** Who asks for little is no crowd and waits for none. Of a key that was not noted nothing is known. */
  asksLittle(key: string): boolean {
    const asked = this.#asked.get(key)
    return asked !== undefined && asked <= LITTLE
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
