// Which of very many texts of statements come again and again, so that connections shall keep them: parsing and planning a list takes
// longer than reading it, and a connection keeps a hundred statements of all kinds.

/** Kept at once. */
const KEPT_MAX = 24
/** Of these, brought by one tenant: however many texts they ask for, others keep theirs. */
const OF_TENANT_MAX = 16
/** A text is kept when it is asked for so many times in a period. */
const ASKED_MIN = 3
const PERIOD_MILLIS = 60_000
/** Texts of a period that are counted; which text of a flood of them comes again is not known. */
const COUNTED_MAX = 512

interface Kept {
  readonly tenant: number
  usedAt: number
}

export class RecurringTexts {
  readonly #kept = new Map<string, Kept>()
  readonly #asked = new Map<string, number>()
  readonly #now: () => number
  #periodAt = -Infinity

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Whether the text shall be kept, which a caller of this tenant asks for now. `key` is the text, or stands for it. */
  isKept(key: string, tenant: number): boolean {
    const now = this.#now()
    const kept = this.#kept.get(key)
    if (kept !== undefined) kept.usedAt = now
    else if (this.#countOf(key, now) >= ASKED_MIN && this.#makesRoom(tenant, now))
      this.#kept.set(key, { tenant, usedAt: now })
    return this.#kept.has(key)
  }

  #countOf(key: string, now: number): number {
    if (now - this.#periodAt >= PERIOD_MILLIS) {
      this.#asked.clear()
      this.#periodAt = now
    }
    const known = this.#asked.get(key)
    const count = (known ?? 0) + 1
    if (known !== undefined || this.#asked.size < COUNTED_MAX) this.#asked.set(key, count)
    return count
  }

  /** Whether there is room for one more of a tenant, perhaps by forgetting what nobody asked for in a period. */
  #makesRoom(tenant: number, now: number): boolean {
    const own = [...this.#kept].filter(([, kept]) => kept.tenant === tenant)
    const full = own.length >= OF_TENANT_MAX ? own : this.#kept.size >= KEPT_MAX ? [...this.#kept] : []
    if (full.length === 0) return true
    const unused = full.find(([, { usedAt }]) => now - usedAt >= PERIOD_MILLIS)
    return unused !== undefined && this.#kept.delete(unused[0])
  }
}
