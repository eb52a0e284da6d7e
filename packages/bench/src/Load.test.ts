// An open load measures the stall of a server. A closed load hardly does.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as http from "node:http"
import { load } from "./Load.ts"

const STALL_MILLIS = 400
const CONNECTIONS = 2
/** The load has begun: every connection has had an answer before. */
const STALLING_REQUEST = 2 * CONNECTIONS + 1

/** Answers immediately, except for one stall from the arrival of a request. */
const stallingServer = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<http.Server>((resolve) => {
        let requests = 0
        let stallsUntil = 0
        const server = http.createServer((_, response) => {
          const now = performance.now()
          if (++requests === STALLING_REQUEST) stallsUntil = now + STALL_MILLIS
          if (now >= stallsUntil) response.end("{}")
          else setTimeout(() => response.end("{}"), stallsUntil - now)
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
        connections: CONNECTIONS,
        seconds: 1.5,
        perSecond
      })
    })
  )

it.live("an open load measures a stall of 400 ms in 1.5 s, and a closed load does not", () =>
  Effect.gen(function* () {
    const closed = yield* measure()
    // A connection waits for one answer at a time, so the latencies of its requests do not overlap, however slow the machine is.
    const { count, p95 } = closed.answered
    assert.isAtMost(0.05 * count * p95, CONNECTIONS * closed.seconds * 1_000)
    const open = yield* measure(200)
    // Of the 80 requests that were due during the stall, half waited for at least half of it.
    assert.isAbove(open.answered.p95, STALL_MILLIS / 2)
    assert.strictEqual(open.failures, 0)
    assert.strictEqual(
      open.perSecond,
      open.answered.count / 1.5,
      "the wait for the last answers does not count"
    )
  })
)
