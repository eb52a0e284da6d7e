// How many requests of one tenant are worked on while another tenant asks, too. Everything that is worked on shares the event loop
// and the database, and each step of a request waits for a step of every other: the fewer of a crowd are worked on at once, the
// less a neighbour waits, and the crowd is served no slower.

/** Requests of one key that are worked on at once while others are active. */
const AT_ONCE = 6
/** A request that takes longer waits for something else and counts no more. */
const COUNTED_MILLIS = 250
/** How long others count as active after they asked. */
const ACTIVE_MILLIS = 1_000

export class Running {
  readonly #counts = new Map<string, number>()
  /** Who asked last, and who before them. */
  #last: { readonly key: string; at: number } | undefined
  #before: { readonly key: string; at: number } | undefined

  /** Whether one more may begin. */
  mayBegin(key: string): boolean {
    return (this.#counts.get(key) ?? 0) < AT_ONCE || !this.#isContended(key)
  }

  /** Somebody asks, whether they may begin or not. */
  note(key: string): void {
    const at = performance.now()
    if (this.#last?.key === key) this.#last.at = at
    else {
      this.#before = this.#last
      this.#last = { key, at }
    }
  }

  /** Begins one; the result ends it, once, as time does. */
  begin(key: string, onEnd: () => void): () => void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    let isCounted = true
    const end = () => {
      if (!isCounted) return
      isCounted = false
      clearTimeout(timer)
      const left = (this.#counts.get(key) ?? 1) - 1
      if (left === 0) this.#counts.delete(key)
      else this.#counts.set(key, left)
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
