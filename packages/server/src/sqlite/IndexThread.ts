// Entry of the index thread: keeps compiled modules as main.ts does, then loads the worker. Only what is imported after
// the first line is cached.
import { enableCompileCache } from "node:module"
import { compileCacheFolder } from "../CompileCache.ts"

enableCompileCache(compileCacheFolder)

await import("./IndexWorker.ts")
