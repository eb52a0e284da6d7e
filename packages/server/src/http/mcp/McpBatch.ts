// Batches of clients of 2025: how many messages one may have, what they cost, and how much their answers may weigh.
import { type AuthorizedSession, principalKey } from "@rapport/contract/Authorization.ts"
import { RateLimited } from "@rapport/contract/Errors.ts"
import { policies } from "@rapport/contract/http/RateLimits.ts"
import { TOOL_BATCH_BYTES_MAX, TOOL_BATCH_MESSAGES_MAX } from "@rapport/contract/Limits.ts"
import type { Body } from "@rapport/mcp/Endpoint.ts"
import type { ToolResult } from "@rapport/mcp/ToolCall.ts"
import type { RunTool } from "@rapport/mcp/ToolServer.ts"
import { RateLimit } from "@rapport/core/traffic/RateLimits.ts"
import { Effect, Semaphore } from "effect"
import { HttpServerResponse } from "effect/http"

/** Messages of a body; 1 for whatever is no batch, its faults are the transport's to tell. */
const messagesOf = (body: Body): number => {
  if (body === undefined || "fault" in body || !/^\s*\[/u.test(body.text)) return 1
  const parsed: unknown = JSON.parse(body.text)
  return Array.isArray(parsed) ? parsed.length : 1
}

const tooLong = HttpServerResponse.jsonUnsafe(
  {
    jsonrpc: "2.0",
    error: { code: -32_600, message: `A batch has at most ${TOOL_BATCH_MESSAGES_MAX} messages` },
    id: null
  },
  { status: 400 }
)

/** The answer to a batch that is too long, else undefined; every message after the first is counted as a request. */
export const judgeBatch = Effect.fnUntraced(function* (body: Body, session: AuthorizedSession) {
  const messages = messagesOf(body)
  if (messages > TOOL_BATCH_MESSAGES_MAX) return tooLong
  if (messages <= 1) return undefined
  const rates = yield* RateLimit
  const quota = yield* rates.take(policies.rest.perMinute, principalKey(session), messages - 1)
  if (quota.retryAfterMillis === null) return undefined
  return yield* new RateLimited({
    detail: "too many requests in this minute: each message of a batch is one",
    limit: { kind: "rate", retryAfterMs: quota.retryAfterMillis }
  })
})

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

/** Calls of one exchange that run at once: what more of them read would be in memory together, and use up the caller's places. */
const CALLS_AT_ONCE = 2

/** Runs the calls of one exchange until their results are too large together; one alone is bounded by its own limits. */
export const boundedRun = (run: RunTool): RunTool => {
  const places = Semaphore.makeUnsafe(CALLS_AT_ONCE)
  let bytes = 0
  const counted = (result: ToolResult): ToolResult => {
    const size = result.content.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    if (bytes > 0 && bytes + size > TOOL_BATCH_BYTES_MAX) return outgrown
    bytes += size
    return result
  }
  return (call, signal) => {
    const bounded = Effect.suspend(() =>
      bytes > TOOL_BATCH_BYTES_MAX ? Effect.succeed(outgrown) : Effect.map(call, counted)
    )
    return run(places.withPermits(1)(bounded), signal)
  }
}
