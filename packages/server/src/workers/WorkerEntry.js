// Entry of a worker: keeps compiled modules as main.ts does, then loads the program. Plain JavaScript, so that a worker does not
// load what strips types.
import { enableCompileCache } from "node:module"
import { compileCacheFolder } from "../CompileCache.js"

process.umask(0o077)
enableCompileCache(compileCacheFolder)

await import("./WorkerProgram.ts")
