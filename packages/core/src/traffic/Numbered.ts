// What waits under a number, such as the id of a question, until it is taken. In a Map of its own each value would stay until a full
// collection (LinkedList.ts says why). Here the Map holds boxes, which are empty once their values were taken.

interface Box<A> {
  value: A | undefined
}

export class Numbered<A> {
  readonly #boxes = new Map<number, Box<A>>()

  put(id: number, value: A): void {
    this.#boxes.set(id, { value })
  }

  get(id: number): A | undefined {
    return this.#boxes.get(id)?.value
  }

  /** Removes what is there; undefined where nothing is, or no more. */
  take(id: number): A | undefined {
    const box = this.#boxes.get(id)
    if (box === undefined) return undefined
    this.#boxes.delete(id)
    const { value } = box
    box.value = undefined
    return value
  }

  /** Removes all, in the order in which they came. */
  *takeAll(): Iterable<A> {
    for (const id of this.#boxes.keys()) {
      const value = this.take(id)
      if (value !== undefined) yield value
    }
  }
}
