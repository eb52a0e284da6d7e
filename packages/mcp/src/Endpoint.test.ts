// One exchange does not hold the others (docs/contract.md §12, "Work of one request").
import { assert, describe, it } from "@effect/vitest"
import { makeEndpoint, withoutSession } from "./Endpoint.ts"
import { ToolServer } from "./ToolServer.ts"

const answered = async (body: object) => {
  const endpoint = makeEndpoint(withoutSession)
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  const { status } = await endpoint.answer({
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18"
    },
    body: { text: JSON.stringify(body) },
    signal: new AbortController().signal,
    serverOf: () => new ToolServer(() => Promise.reject(new Error("no tool is called")))
  })
  clearImmediate(next)
  await endpoint.close()
  return { status, turns }
}

describe("the endpoint of tools", () => {
  it("gives others a turn after each step over a long body", async () => {
    const names = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`unknown${n}`, n]))
    for (const [body, status] of [
      [names, 400],
      [{ jsonrpc: "2.0", id: 1, method: "tools/list", params: names }, 200]
    ] as const) {
      const long = await answered(body)
      assert.strictEqual(long.status, status)
      assert.isAtLeast(long.turns, 2)
    }
  })
})
