#!/usr/bin/env node
// The program: runs the command line, which ends with an exit code or one line of failure.
import type { Runtime } from "effect"
import { enableCompileCache } from "node:module"
import { compileCacheFolder } from "./files/CompileCache.js"

// Only the owner can read new files.
process.umask(0o077)

// Caches compiled modules, which shortens later starts by a third. Only modules imported after this line are cached.
enableCompileCache(compileCacheFolder)
const { Cause, Effect, Exit } = await import("effect")
const NodeRuntime = await import("@effect/platform-node/NodeRuntime")
const NodeServices = await import("@effect/platform-node/NodeServices")
const { failureLine, isWrongUse } = await import("./cli/Failure.ts")
const { runRapport } = await import("./cli/Rapport.ts")

// A second signal ends the process immediately. Within a second it is the same signal, sent to the process group (contract §11).
const SAME_SIGNAL_SECONDS = 1
let firstSignalSeconds: number | undefined
const onSignal = () => {
  const now = process.uptime()
  firstSignalSeconds ??= now
  if (now - firstSignalSeconds > SAME_SIGNAL_SECONDS) process.exit(1)
}
process.on("SIGINT", onSignal).on("SIGTERM", onSignal)

/** Commands that normally end with a signal. A signal makes every other command fail. */
const untilSignal = ["serve", "mcp"]

const teardown: Runtime.Teardown = (exit, onExit) => {
  if (Exit.isSuccess(exit)) return onExit(0)
  const isStopped = Cause.hasInterruptsOnly(exit.cause)
  if (isStopped && untilSignal.includes(process.argv[2] ?? "")) return onExit(0)
  const line = isStopped ? "interrupted before it was done" : failureLine(exit.cause)
  if (line !== undefined) process.stderr.write(`rapport: ${line}\n`)
  onExit(isWrongUse(exit.cause) ? 2 : 1)
}

NodeRuntime.runMain(runRapport.pipe(Effect.provide(NodeServices.layer)), {
  disableErrorReporting: true,
  teardown
})
