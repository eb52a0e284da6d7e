#!/usr/bin/env node
// The command line for any Node version: an old one gets an error of one line. It must be plain JavaScript without imports before
// the check.
const NODE_MAJOR_MIN = 24

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  process.stderr.write(
    `rapport: needs Node ${NODE_MAJOR_MIN}, this is ${process.versions.node}. ` +
      "Run: npx -y pnpm@12 start (or rapport <command>), which brings its own\n"
  )
  process.exitCode = 1
} else {
  // Before main.ts, so that its types are stripped once and not by every start: what strips them takes 100 ms and 25 MiB.
  const { enableCompileCache } = await import("node:module")
  const { compileCacheFolder } = await import("./src/files/CompileCache.js")
  enableCompileCache(compileCacheFolder)
  await import("./src/main.ts")
}
