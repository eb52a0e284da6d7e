// The load itself: an open load sees a server that stalls, which a closed one hardly does.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as http from "node:http"
import { load } from "./Load.ts"

const STALL_MILLIS = 400

/** Answers at once, but for one stretch without any answer. */
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

const measured = (perSecond?: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const address = (yield* stallingServer).address()
      const port = typeof address === "object" ? address?.port : 0
      return yield* load({
        url: `http://127.0.0.1:${port}/`,
        method: "GET",
        headers: {},
        body: "",
        connections: 2,
        seconds: 1.5,
        ...(perSecond === undefined ? {} : { perSecond })
      })
    })
  )

it.live("a stall of 400 ms in 1.5 s is seen by an open load and missed by a closed one", () =>
  Effect.gen(function* () {
    const closed = yield* measured()
    // Two requests of thousands met the stall.
    assert.isBelow(closed.answered.p95, STALL_MILLIS / 4)
    const open = yield* measured(200)
    // Of those that were due while it lasted, the first waited the whole of it, the last not at all.
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
