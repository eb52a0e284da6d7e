// Which models have their columns in the memory of this process: those that were used last, as far as memory goes
// (docs/performance.md, "Custom data of 100,000 records"). Times are milliseconds of the process's own clock.
import { Semaphore } from "effect"
import type { Block, Layout } from "./Block.ts"
import type { OfModel, State } from "./ColumnRows.ts"

/** Models whose searches are counted. */
const MODELS_MAX = 1_000
/** What went is not read again sooner: models that have no room beside each other would be read all the time. */
const DROPPED_MILLIS = 60_000
const UNUSED_MILLIS_MAX = 1_800_000

export interface Held {
  readonly of: OfModel
  readonly state: State
  readonly layout: Layout
  readonly blocks: ReadonlyArray<Block>
}

export interface Entry {
  readonly applying: Semaphore.Semaphore
  held: Held | undefined
  /** Of a model whose columns are not held. */
  searches: number
  isLoading: boolean
  notBefore: number
  usedAt: number
}

const bytesOf = ({ held }: Entry): number => (held?.blocks ?? []).reduce((sum, { bytes }) => sum + bytes, 0)

/** What goes is read again a while later. */
export const drop = (entry: Entry, now: number): void => {
  entry.held = undefined
  entry.searches = 0
  entry.notBefore = now + DROPPED_MILLIS
}

export class HeldModels {
  readonly #bytesMax: number
  /** The one used last is the last. */
  readonly #entries = new Map<string, Entry>()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** The entry of a model, as the one used last. */
  used(key: string, now: number): Entry {
    const entry = this.#entries.get(key) ?? {
      applying: Semaphore.makeUnsafe(1),
      held: undefined,
      searches: 0,
      isLoading: false,
      notBefore: 0,
      usedAt: now
    }
    entry.usedAt = now
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MODELS_MAX) break
      this.#entries.delete(oldest)
    }
    return entry
  }

  /** Columns that were used longest ago go first, these last: they go where they alone are too large. */
  makeRoom(kept: Entry, now: number): void {
    const entries = [...this.#entries.values()]
    let bytes = entries.reduce((sum, entry) => sum + bytesOf(entry), 0)
    for (const entry of [...entries.filter((one) => one !== kept), kept]) {
      if (bytes <= this.#bytesMax) return
      if (entry.held === undefined) continue
      bytes -= bytesOf(entry)
      drop(entry, now)
    }
  }

  dropUnused(now: number): void {
    for (const entry of this.#entries.values())
      if (entry.held !== undefined && now - entry.usedAt > UNUSED_MILLIS_MAX) drop(entry, now)
  }
}
