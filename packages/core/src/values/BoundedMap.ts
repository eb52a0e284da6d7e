// A cache in memory: a map of at most `max` entries that evicts the half written first.

/**
 * Two generations instead of an order of use: the first key of a large Map whose front was deleted costs V8 up to a
 * millisecond. A read moves nothing, so a key is the string that was written, not a slice that keeps a long text alive.
 */
export class BoundedMap<K, V> {
  readonly #generationMax: number
  #young = new Map<K, V>()
  #old = new Map<K, V>()

  constructor(max: number) {
    this.#generationMax = Math.ceil(max / 2)
  }

  get(key: K): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#generationMax && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  /** True if the key was there. */
  delete(key: K): boolean {
    const wasYoung = this.#young.delete(key)
    return this.#old.delete(key) || wasYoung
  }

  /** The value of the key, computed if it is not there. */
  getOrSet(key: K, compute: (key: K) => V): V {
    const known = this.get(key)
    if (known !== undefined) return known
    const computed = compute(key)
    this.set(key, computed)
    return computed
  }
}
