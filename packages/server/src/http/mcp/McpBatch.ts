// Limits the size and the concurrency of a batch of tool calls, which protocol versions of 2025 allow.
import { TOOL_BATCH_BYTES_MAX } from "@rapport/contract/Limits.ts"
import type { ToolResult } from "@rapport/mcp/ToolCall.ts"
import type { RunTool } from "@rapport/mcp/ToolServer.ts"
import { Effect, Semaphore } from "effect"

const outgrown: ToolResult = {
  isError: true,
  content: [
    {
      type: "text",
      text: JSON.stringify({
        code: "QUERY_BUDGET_EXCEEDED",
        status: 400,
        detail: `the results of this batch are above ${TOOL_BATCH_BYTES_MAX} bytes: ask for less, or one by one`
      })
    }
  ]
}

/** Calls of one exchange that run in parallel. More would use too much memory and all places of the caller. */
const CALLS_CONCURRENT = 2

/** Runs the calls of one exchange until their results together are too large. A single result has its own limits. */
export const boundedRun = (run: RunTool): RunTool => {
  const places = Semaphore.makeUnsafe(CALLS_CONCURRENT)
  let bytes = 0
  const countBytes = (result: ToolResult): ToolResult => {
    const size = result.content.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    if (bytes > 0 && bytes + size > TOOL_BATCH_BYTES_MAX) return outgrown
    bytes += size
    return result
  }
  return (call, signal) => {
    const bounded = Effect.suspend(() =>
      bytes > TOOL_BATCH_BYTES_MAX ? Effect.succeed(outgrown) : Effect.map(call, countBytes)
    )
    return run(places.withPermits(1)(bounded), signal)
  }
}
