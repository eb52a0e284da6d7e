// What comes and goes with requests, in the order in which it came. A Map or a Set that lives on is no place for it: V8 makes the table of
// a Map anew as entries come and go, and each table that was left points to the next one and keeps what it held. Once one of them was old
// enough to be moved out of the young objects, collections of young objects find every later one from there, and with it the
// requests of its time, which all stay until a full collection.

/** A value in its place in the list. */
export interface Linked<A> {
  readonly value: A
}

class Link<A> implements Linked<A> {
  readonly value: A
  before: Link<A> | undefined
  after: Link<A> | undefined
  isIn = true

  constructor(value: A) {
    this.value = value
  }
}

export class LinkedList<A> {
  #first: Link<A> | undefined
  #last: Link<A> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): A | undefined {
    return this.#first?.value
  }

  /** Puts a value behind the others; `remove` takes the result. */
  add(value: A): Linked<A> {
    const link = new Link(value)
    link.before = this.#last
    if (this.#last === undefined) this.#first = link
    else this.#last.after = link
    this.#last = link
    this.#size++
    return link
  }

  /** False where it was removed before. What was removed points to nothing, so that it keeps nothing that came later. */
  remove(linked: Linked<A>): boolean {
    const link = linked as Link<A>
    if (!link.isIn) return false
    if (link.before === undefined) this.#first = link.after
    else link.before.after = link.after
    if (link.after === undefined) this.#last = link.before
    else link.after.before = link.before
    link.before = undefined
    link.after = undefined
    link.isIn = false
    this.#size--
    return true
  }

  /** Removes the first. */
  shift(): void {
    if (this.#first !== undefined) this.remove(this.#first)
  }

  /** From the first to the last; the value at hand may be removed meanwhile. */
  *[Symbol.iterator](): Iterator<A> {
    for (let link = this.#first; link !== undefined;) {
      const { after, value } = link
      yield value
      link = after
    }
  }
}
