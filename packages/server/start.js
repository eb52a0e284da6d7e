#!/usr/bin/env node
// The way in of `pnpm start`: runs the bundle of these sources, which takes a third of the time and half of the memory. It is
// made here where it is missing; where it cannot be made the sources run, by rapport.js.
const NODE_MAJOR_MIN = 24

/**
 * The C library gives threads heaps of their own, and keeps what they freed: 10 MiB for a service at rest; one heap is as fast. Once a
 * large block was freed it takes the next ones from a heap, too, where small ones that stay keep the pages around them: 4 MiB, and up
 * to 10. It reads these numbers once, when a program begins, so the program begins again: the same process, as nothing was opened
 * yet. Who sets one keeps it.
 */
const HEAPS = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "131072" }
const beginWithOneHeap = () => {
  const areSet = Object.keys(HEAPS).every((name) => process.env[name] !== undefined)
  if (process.platform !== "linux" || areSet || process.connected) return
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, args, { ...HEAPS, ...process.env })
}

const bundled = async () => {
  if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) return undefined
  const { bundledProgram } = await import("./src/start/Bundle.js")
  return bundledProgram(process.argv[2] === "serve")
}

if (process.argv[2] === "serve") beginWithOneHeap()
await import((await bundled()) ?? "./rapport.js")
