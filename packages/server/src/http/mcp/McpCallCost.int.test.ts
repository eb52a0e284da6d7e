// What a tool costs beside the read that it makes, by contract §6.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { RunningServer, ServerFixtures } from "../../testing/ServerFixtures.ts"

const limits = { RAPPORT_LIMIT_CONTEXT_READS_PER_MINUTE: "1000000", RAPPORT_LIMIT_REST_PER_MINUTE: "1000000" }

/**
 * A service that runs has its code compiled: so many calls of each kind go before any is timed, and as many again, so often at
 * most, while the timed ones cost more than they may.
 */
const [WARM_CONNECTIONS, WARM_CALLS, ROUNDS_MAX] = [8, 60, 6]
const TIMED_CALLS = 150

/** What a call may add to the direct read: 3 ms, or half of the read where the machine takes more than 6 ms for that. */
const [ADDED_MILLIS_MAX, ADDED_PART_MAX] = [3, 0.5]

// A slow or busy machine makes every step longer, those of the call and those of the read.
const isTooMuch = ({ ofDirect, ofTool }: { readonly ofDirect: number; readonly ofTool: number }): boolean =>
  ofTool - ofDirect > Math.max(ADDED_MILLIS_MAX, ADDED_PART_MAX * ofDirect)

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

layer(ServerFixtures.running(limits), { excludeTestServices: true })("the tools", (it) => {
  it.effect(
    "a call costs at most 3 ms or half a read more than the direct read, at the median",
    () =>
      Effect.gen(function* () {
        const { origin, tokenOf } = yield* RunningServer
        yield* Effect.promise(async () => {
          const headers = {
            authorization: `Bearer ${await tokenOf("administrator")}`,
            "content-type": "application/json",
            accept: "application/json, text/event-stream"
          }
          const post = async (place: string, body: object, more: object = {}) => {
            const begun = performance.now()
            const response = await fetch(`${origin}${place}`, {
              method: "POST",
              headers: { ...headers, ...more },
              body: JSON.stringify(body)
            })
            await response.arrayBuffer()
            assert.strictEqual(response.status, 200)
            return performance.now() - begun
          }
          const scope = { entity: "client", id: 501 }
          const sections = ["state", "actions", "properties", "evidence"]
          const direct = () => post("/kw/chatrooms/context/retrieve", { scope, sections, allowPartial: true })
          const params = { name: "get_client_context", arguments: { client_id: 501, format: "json" } }
          const tool = () => post("/kw/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params })
          const warm = async () => {
            for (let i = 0; i < WARM_CALLS; i++) {
              await direct()
              await tool()
            }
          }
          const cost = async (round = 1): Promise<{ readonly ofDirect: number; readonly ofTool: number }> => {
            await Promise.all(Array.from({ length: WARM_CONNECTIONS }, warm))
            const [directs, tools]: [Array<number>, Array<number>] = [[], []]
            // One after the other, so that whatever else the machine does falls on both.
            for (let i = 0; i < TIMED_CALLS; i++) {
              directs.push(await direct())
              tools.push(await tool())
            }
            const found = { ofDirect: median(directs), ofTool: median(tools) }
            return round < ROUNDS_MAX && isTooMuch(found) ? cost(round + 1) : found
          }
          const { ofDirect, ofTool } = await cost()
          console.log(`direct read p50 ${ofDirect.toFixed(2)} ms, tools/call p50 ${ofTool.toFixed(2)} ms`)
          assert.isFalse(isTooMuch({ ofDirect, ofTool }))
        })
      }),
    120_000
  )
})
