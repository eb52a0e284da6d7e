// How much may be worked on at once beside a neighbour: as much as leaves the event loop and the processors some room. How long a
// request takes, and with it how many keep this process busy, depends on where the database is and on how many processors there are.
import * as fs from "node:fs"

/** Requests that may always be worked on, and the most that ever may. */
export const ROOM_LEAST = 2
export const ROOM_MOST = 16
/** Length of one measurement. One that took twice as long tells of a time in which nobody asked. */
const MEASURED_MILLIS = 100
/** One more may be worked on while the event loop works no more of the time, and so much of the processors is idle. */
const LOOP_FREE = 0.75
const IDLE_FREE = 0.2
/** Half as much may be as soon as the event loop works more of the time, or less of the processors is idle. */
const LOOP_BUSY = 0.9
const IDLE_BUSY = 0.1

/** Shares, 0 to 1, of a time that has passed. */
export interface Load {
  /** In which the event loop worked. */
  readonly loop: number
  /** In which the processors of the machine, all together, were idle. */
  readonly idle: number
}

/** Additive increase, multiplicative decrease: what is free is found slowly, what is missing is given back at once. */
export class Room {
  readonly #load: () => Load | undefined
  #most = ROOM_LEAST
  #measuredAt = -Infinity
  #wasFull = false

  /** `load`: since it was asked before; undefined where that is not known, so that nothing more may be worked on. */
  constructor(load: () => Load | undefined = machineLoad()) {
    this.#load = load
  }

  /** Whether so many are as much as may be worked on; of all that may be, `share`. */
  isFull(count: number, share = 1): boolean {
    this.#measure()
    const isFull = count >= this.#most * share
    this.#wasFull ||= isFull
    return isFull
  }

  #measure(): void {
    const now = performance.now()
    const passed = now - this.#measuredAt
    if (passed < MEASURED_MILLIS) return
    this.#measuredAt = now
    const load = this.#load()
    const isOfNow = passed < 2 * MEASURED_MILLIS
    if (load === undefined || load.loop > LOOP_BUSY || load.idle < IDLE_BUSY)
      this.#most = Math.max(ROOM_LEAST, Math.floor(this.#most / 2))
    else if (isOfNow && this.#wasFull && load.loop < LOOP_FREE && load.idle > IDLE_FREE)
      this.#most = Math.min(ROOM_MOST, this.#most + 1)
    this.#wasFull = false
  }
}

/** The load of this thread and machine between two questions. */
const machineLoad = (): (() => Load | undefined) => {
  let loop = performance.eventLoopUtilization()
  let processors = processorTicks()
  return () => {
    const [loopBefore, before] = [loop, processors]
    loop = performance.eventLoopUtilization()
    processors = processorTicks()
    if (before === undefined || processors === undefined) return undefined
    const all = processors.all - before.all
    // Linux counts in hundredths of a second: of so short a time it may have counted none.
    if (all === 0) return undefined
    const { utilization } = performance.eventLoopUtilization(loop, loopBefore)
    return { loop: utilization, idle: (processors.idle - before.idle) / all }
  }
}

const FIELDS_OF_ALL = 9
const FIELD_IDLE = 3
const FIELD_WAITS_FOR_DISK = 4

/** What Linux counts of all processors together; undefined on other systems. */
const processorTicks = (): { readonly all: number; readonly idle: number } | undefined => {
  try {
    const ticks = fs.readFileSync("/proc/stat", "utf8").split(/ +/u, FIELDS_OF_ALL).slice(1).map(Number)
    const all = ticks.reduce((sum, count) => sum + count, 0)
    return { all, idle: (ticks[FIELD_IDLE] ?? 0) + (ticks[FIELD_WAITS_FOR_DISK] ?? 0) }
  } catch {
    return undefined
  }
}
