// What a start leaves behind. V8 keeps the space that it took for young objects, and collects what is old once it needs the
// memory: a service at rest would hold both for minutes. Nothing waits for a service that is not ready yet.
import * as fs from "node:fs"
import * as os from "node:os"
import { setFlagsFromString } from "node:v8"

/**
 * Collects everything, where Node was started with `--expose-gc`, as `pnpm start` and the image do: with it the compiled code of
 * functions that the start alone needed, which V8 keeps else until they were not called between several collections.
 */
export const collectGarbage = (): void => {
  setFlagsFromString(`--bytecode-old-age=${CODE_AGE_AT_START}`)
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" })
  setFlagsFromString(`--bytecode-old-age=${CODE_AGE}`)
}
/** Collections without a call until the code of a function goes; V8's own number is the latter. */
const CODE_AGE_AT_START = 1
const CODE_AGE = 6

/** How far behind the main thread, in steps of `nice`: it waits for what they copy of young objects. */
export const COLLECTORS_NICE = 10

/**
 * The threads of V8, which collect and compile beside the main thread, get a processor after it. Linux divides one between the
 * threads of a process as if each were as urgent: of a crowded machine they took turns of some milliseconds, which every request
 * then waited for. On other systems threads have no priority of their own.
 */
export const runCollectorsBehind = (): void => {
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
