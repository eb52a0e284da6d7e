#!/usr/bin/env node
// The program rapport-mcp: MCP on standard input and output, logs on standard error.
import { Cause, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { ConfigError, readOptions } from "./Config.ts"
import { serve } from "./Stdio.ts"

const program = Effect.flatMap(readOptions(), serve).pipe(
  Effect.provide(
    Layer.mergeAll(
      Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
      Layer.succeed(Logger.LogToStderr, true)
    )
  )
)

const fiber = Effect.runFork(program)
const stop = () => void Effect.runFork(Fiber.interrupt(fiber))
process.on("SIGINT", stop).on("SIGTERM", stop)

fiber.addObserver((exit) => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) process.exit(0)
  const error = Cause.squash(exit.cause)
  process.stderr.write(
    `rapport-mcp: ${error instanceof ConfigError ? error.message : Cause.pretty(exit.cause)}\n`
  )
  process.exit(error instanceof ConfigError ? 2 : 1)
})
