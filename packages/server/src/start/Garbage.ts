// What a start leaves behind. V8 keeps the space that it took for young objects, and collects what is old once it needs the
// memory: a service at rest would hold both for minutes. Nothing waits for a service that is not ready yet. And how much garbage may
// gather afterwards, by load.
import * as fs from "node:fs"
import * as os from "node:os"
import { setFlagsFromString } from "node:v8"

/**
 * Collects everything, where Node was started with `--expose-gc`, as `pnpm start` and the image do: with it the compiled code of
 * functions that the start alone needed, which V8 keeps else until they were not called between several collections. The index thread
 * calls it, too: IndexThread.js, which the compiler does not check.
 */
export const collectGarbage = (): void => {
  setFlagsFromString(`--bytecode-old-age=${CODE_AGE_AT_START}`)
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" })
  setFlagsFromString(`--bytecode-old-age=${CODE_AGE}`)
}
/** Collections without a call until the code of a function goes; V8's own number is the latter. */
const CODE_AGE_AT_START = 1
const CODE_AGE = 6

/** Old objects are collected when they are so many percent more than were alive the last time; 0: as V8 sees fit. */
const MORE_PERCENT_UNDER_LOAD = 150
const MORE_PERCENT_AT_REST = 0
/** The part of the time in which the event loop works under load, and at rest; between them nothing changes. */
const LOADED = 0.4
const RESTING = 0.2
const MEASURED_MILLIS = 1_000
/** V8 takes either spelling. */
const GROWING = /^--heap[-_]growing[-_]percent\b/u

/**
 * Under load memory is given for time: while old objects are marked, by all threads, requests wait, and the main thread stands for some
 * 9 ms at the end. At rest the memory is given back. Who starts Node with a number of their own keeps it.
 */
const collectByLoad = (measuredMillis: number): void => {
  if (process.execArgv.some((flag) => GROWING.test(flag))) return
  let before = performance.eventLoopUtilization()
  let isLoaded = false
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const isLoadedNow = utilization > (isLoaded ? RESTING : LOADED)
    if (isLoadedNow === isLoaded) return
    isLoaded = isLoadedNow
    setFlagsFromString(`--heap-growing-percent=${isLoaded ? MORE_PERCENT_UNDER_LOAD : MORE_PERCENT_AT_REST}`)
  }, measuredMillis).unref()
}

/** How far behind the main thread, in steps of `nice`: it waits for what they copy of young objects. */
export const COLLECTORS_NICE = 10

/**
 * The threads of V8, which collect and compile beside the main thread, get a processor after it. Linux divides one between the
 * threads of a process as if each were as urgent: of a crowded machine they took turns of some milliseconds, which every request
 * then waited for. On other systems threads have no priority of their own.
 */
const runCollectorsBehind = (): void => {
  if (process.platform !== "linux") return
  for (const id of fs.readdirSync(THREADS))
    if (nameOf(id) === COLLECTOR) os.setPriority(Number(id), COLLECTORS_NICE)
}
const THREADS = "/proc/self/task"
const COLLECTOR = "V8Worker"

/** Undefined where the thread has ended meanwhile. */
const nameOf = (id: string): string | undefined => {
  try {
    return fs.readFileSync(`${THREADS}/${id}/comm`, "utf8").trim()
  } catch {
    return undefined
  }
}

/** At the end of a start: what it left behind is collected, and what comes is, as suits a service. Tests measure its load more often. */
export const prepareCollector = (measuredMillis = MEASURED_MILLIS): void => {
  collectGarbage()
  collectByLoad(measuredMillis)
  runCollectorsBehind()
}
