#!/usr/bin/env node
// The program: runs the command line, turns its outcome into an exit code, and its failure into one line.
import type { Runtime } from "effect"
import { enableCompileCache } from "node:module"
import { compileCacheFolder } from "./files/CompileCache.js"

// What is written belongs to its owner alone.
process.umask(0o077)

// Compiled and type-stripped modules are kept, which takes a third off every later start; a folder that cannot be
// written is done without. Only what is imported after this line is cached.
enableCompileCache(compileCacheFolder)
const { Cause, Effect, Exit } = await import("effect")
const NodeRuntime = await import("@effect/platform-node/NodeRuntime")
const NodeServices = await import("@effect/platform-node/NodeServices")
const { failureLine, isWrongUse } = await import("./cli/Failure.ts")
const { runRapport } = await import("./cli/Rapport.ts")

// A second signal ends the process at once; what arrives within a second of the first is the same signal, sent to the
// whole group (contract §11).
const SAME_SIGNAL_MILLIS = 1_000
let firstSignalMillis: number | undefined
const onSignal = () => {
  const now = performance.now()
  firstSignalMillis ??= now
  if (now - firstSignalMillis > SAME_SIGNAL_MILLIS) process.exit(1)
}
process.on("SIGINT", onSignal).on("SIGTERM", onSignal)

/** Commands that run until a signal ends them; any other that a signal ends did not do its work. */
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
