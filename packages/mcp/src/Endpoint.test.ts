// A long request does not block others (contract §12, "Work of one request").
import { assert, describe, it } from "@effect/vitest"
import { setImmediate as turn } from "node:timers/promises"
import { makeEndpoint } from "./Endpoint.ts"
import { ToolServer } from "./ToolServer.ts"

const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-06-18"
}

const messageIn = (json: object) => ({ json, length: JSON.stringify(json).length })

const answerOf = async (body: object) => {
  const endpoint = makeEndpoint()
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  const { status } = await endpoint.answer({
    headers,
    message: messageIn(body),
    signal: new AbortController().signal,
    serverOf: () => new ToolServer(() => Promise.reject(new Error("no tool is called")))
  })
  clearImmediate(next)
  await endpoint.close()
  return { status, turns }
}

describe("the endpoint of tools", () => {
  it("yields to other requests after each step over a long body", async () => {
    const names = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`unknown${n}`, n]))
    for (const [body, status] of [
      [names, 400],
      [{ jsonrpc: "2.0", id: 1, method: "tools/list", params: names }, 200]
    ] as const) {
      const long = await answerOf(body)
      assert.strictEqual(long.status, status)
      assert.isAtLeast(long.turns, 2)
    }
  })

  it("calls no tool for a client that disconnected while its body was validated", async () => {
    const endpoint = makeEndpoint()
    const padding = "x".repeat(40_000)
    const body = [1, 2].map((id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "get_client_context", arguments: { padding } }
    }))
    for (const turns of [0, 1]) {
      const disconnection = new AbortController()
      let calls = 0
      const answer = endpoint.answer({
        headers,
        message: messageIn(body),
        signal: disconnection.signal,
        serverOf: () =>
          new ToolServer(() => {
            calls++
            return Promise.reject(new Error("the client has disconnected"))
          })
      })
      for (let n = 0; n < turns; n++) await turn()
      disconnection.abort()
      await Promise.allSettled([answer])
      assert.strictEqual(calls, 0)
    }
    await endpoint.close()
  })
})
