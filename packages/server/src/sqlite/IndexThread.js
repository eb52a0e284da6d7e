// Entry of the index thread: keeps compiled modules as main.ts does, then loads the worker. Only what is imported after
// the first line is cached. Plain JavaScript, so that a thread does not load what strips types.
import { enableCompileCache } from "node:module"
import { compileCacheFolder } from "../files/CompileCache.js"

enableCompileCache(compileCacheFolder)

await import("./IndexWorker.ts")
const { collectGarbage } = await import("../start/Garbage.ts")
collectGarbage()
