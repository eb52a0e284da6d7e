// A small seeded generator: the same keys give the same numbers on every machine, so that demo data is deterministic.

/** Mixes two 32-bit integers into one (the finalizer of murmur3). */
export const mix = (a: number, b: number): number => {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b | 0, 0xc2b2ae35)
  h ^= h >>> 16
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Deterministic pseudo-random numbers (mulberry32) that start from the given keys. Not for secrets. */
export class Random {
  #state: number

  constructor(...keys: ReadonlyArray<number>) {
    this.#state = keys.reduce((h, key) => mix(mix(h, key), Math.floor(key / 0x100000000)), 0x5eed)
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  /** An integer in [from, to], both ends included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** One of the values; there must be at least one. */
  pick<A>(values: ReadonlyArray<A>): A {
    const value = values[Math.floor(this.next() * values.length)]
    if (value === undefined) throw new RangeError("Random.pick: no values")
    return value
  }

  /** One of the values, the i-th with a probability proportional to weights[i]. */
  weighted<A>(values: ReadonlyArray<A>, weights: ReadonlyArray<number>): A {
    let left = this.next() * weights.reduce((sum, weight) => sum + weight, 0)
    for (const [i, value] of values.entries()) {
      left -= weights[i] ?? 0
      if (left < 0) return value
    }
    return this.pick(values)
  }

  digits(count: number): string {
    let text = ""
    for (let i = 0; i < count; i++) text += String(this.int(i === 0 ? 1 : 0, 9))
    return text
  }

  /** A version 7 UUID whose time part is the given epoch milliseconds. */
  uuid(millis: number): string {
    const hex = (length: number) => {
      let text = ""
      while (text.length < length)
        text += Math.floor(this.next() * 0x10000)
          .toString(16)
          .padStart(4, "0")
      return text.slice(0, length)
    }
    const time = millis.toString(16).padStart(12, "0")
    const variant = this.pick(["8", "9", "a", "b"])
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(12)}`
  }
}
