// Loaded into the measured service with --import: watches its event loop, processor time and memory, and reports to its parent.
import { readFileSync, writeFileSync } from "node:fs"
import { isMainThread } from "node:worker_threads"

/** What one request held. */
export interface Held {
  /** Longest time without a turn of the loop, and the processor time of the main thread within one such time. */
  readonly blockMillis: number
  readonly blockCpuMillis: number
  readonly cpuMillis: number
  /** Growth over what was there before: of heap and buffers of the main thread, and of the whole process. */
  readonly heapBytes: number
  readonly rssBytes: number
}

/** How often the loop is sampled. */
const TICK_MILLIS = 1

const cpuMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1_000
}
const heapBytes = (): number => {
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}
/** The largest size of the process since the mark was reset; Linux alone keeps one that can be. */
const rssPeak = (): number => {
  const found = /^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync("/proc/self/status", "utf8"))?.[1]
  return Number(found ?? 0) * 1024
}

const probe = () => {
  let ticking: NodeJS.Timeout | undefined
  let startedAt = { cpu: 0, heap: 0, rss: 0 }
  let last = { at: 0, cpu: 0 }
  let longest = { block: 0, cpu: 0 }
  let heapPeak = 0
  const tick = () => {
    const now = { at: performance.now(), cpu: cpuMillis() }
    longest = {
      block: Math.max(longest.block, now.at - last.at),
      cpu: Math.max(longest.cpu, now.cpu - last.cpu)
    }
    heapPeak = Math.max(heapPeak, heapBytes())
    // The sampling itself is not counted.
    last = { at: performance.now(), cpu: cpuMillis() }
  }
  const start = () => {
    globalThis.gc?.()
    writeFileSync("/proc/self/clear_refs", "5")
    startedAt = { cpu: cpuMillis(), heap: heapBytes(), rss: process.memoryUsage.rss() }
    longest = { block: 0, cpu: 0 }
    heapPeak = startedAt.heap
    last = { at: performance.now(), cpu: startedAt.cpu }
    ticking = setInterval(tick, TICK_MILLIS)
  }
  const stop = (): Held => {
    clearInterval(ticking)
    tick()
    return {
      blockMillis: longest.block,
      blockCpuMillis: longest.cpu,
      cpuMillis: last.cpu - startedAt.cpu,
      heapBytes: heapPeak - startedAt.heap,
      rssBytes: Math.max(0, rssPeak() - startedAt.rss)
    }
  }
  process.on("message", (message) => {
    if (message === "start") {
      start()
      process.send?.("started")
    } else if (message === "stop") process.send?.(stop())
  })
  process.channel?.unref()
}

if (isMainThread && process.send !== undefined) probe()
