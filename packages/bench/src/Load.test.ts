// An open load measures the stall of a server. A closed load hardly does.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as http from "node:http"
import { load } from "./Load.ts"

const STALL_MILLIS = 400

/** Answers immediately, except for one stall. */
const stallingServer = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<http.Server>((resolve) => {
        const stall = { from: Infinity, to: Infinity }
        const server = http.createServer((_, response) => {
          const now = performance.now()
          if (stall.from === Infinity) {
            stall.from = now + 300
            stall.to = stall.from + STALL_MILLIS
          }
          if (now < stall.from || now >= stall.to) response.end("{}")
          else setTimeout(() => response.end("{}"), stall.to - now)
        })
        server.listen(0, "127.0.0.1", () => resolve(server))
      })
  ),
  (server) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const measure = (perSecond?: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const address = (yield* stallingServer).address()
      const port = typeof address === "object" ? address?.port : 0
      return yield* load({
        request: () => ({ url: `http://127.0.0.1:${port}/`, method: "GET", headers: {} }),
        connections: 2,
        seconds: 1.5,
        perSecond
      })
    })
  )

it.live("an open load measures a stall of 400 ms in 1.5 s, and a closed load does not", () =>
  Effect.gen(function* () {
    const closed = yield* measure()
    // Only two of thousands of requests waited for the end of the stall.
    assert.isBelow(closed.answered.p95, STALL_MILLIS / 4)
    const open = yield* measure(200)
    // Of the requests that were due during the stall, the first waited for all of it, and the last did not wait.
    assert.isAbove(open.answered.p95, STALL_MILLIS / 2)
    assert.isAtMost(open.answered.p50, STALL_MILLIS / 4)
    assert.strictEqual(open.failures, 0)
    assert.strictEqual(
      open.perSecond,
      open.answered.count / 1.5,
      "the wait for the last answers does not count"
    )
  })
)
