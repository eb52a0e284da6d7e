// What was answered is let go: no collection of young objects keeps what nobody needs any more (docs/performance.md, "What pays").
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { LinkedList } from "@rapport/core/traffic/LinkedList.ts"
import { TrafficDefaults } from "@rapport/contract/Limits.ts"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { once } from "node:events"
import * as net from "node:net"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { GOOD, groundParts, READ } from "../../testing/HttpFixtures.ts"
import { makeServer } from "../HttpListener.ts"
import { routerConfig } from "../middleware/ResponseEnvelope.ts"
import { Admission } from "./Admission.ts"

setFlagsFromString("--expose-gc")
const collect: (options: { readonly type: "minor" | "major" }) => void = runInNewContext("gc")

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0
/** All that is there grows old. */
const growOld = (): void => {
  collect({ type: "major" })
  collect({ type: "major" })
}
const collectYoung = (): void => collect({ type: "minor" })

const FILLER_BYTES = 12_000
const CONNECTIONS = 8
/** Of each connection, all at once; and how many of them between two collections. */
const REQUESTS = 100
const BETWEEN_COLLECTIONS = 4

const serving = Effect.gen(function* () {
  const { app, services } = groundParts({
    read: () => Effect.succeed(HttpServerResponse.empty()),
    settings: { limits: { ...TrafficDefaults, CONTEXT_READS_PER_MINUTE: 1_000_000 } }
  })
  const listener = Layer.unwrap(
    Effect.map(Admission, ({ guard }) =>
      NodeHttpServer.layer(() => guard(makeServer()), { host: "127.0.0.1", port: 0 })
    )
  ).pipe(Layer.provide(Admission.layer))
  const context = yield* Layer.build(
    HttpRouter.serve(app, { routerConfig, disableLogger: true, disableListenLog: true }).pipe(
      Layer.provideMerge(listener),
      Layer.provide(services)
    )
  )
  const { address } = yield* Effect.provideContext(HttpServer.HttpServer, context)
  return "port" in address ? address.port : 0
})

describe("requests that were answered", () => {
  it.live("do not grow old", () =>
    Effect.gen(function* () {
      const port = yield* serving
      yield* Effect.promise(async () => {
        const sockets = Array.from({ length: CONNECTIONS }, () => net.connect(port, "127.0.0.1"))
        const body = JSON.stringify(GOOD)
        const head = [
          `POST ${READ} HTTP/1.1`,
          "host: a",
          "authorization: Bearer user-1",
          "content-type: application/json",
          `content-length: ${Buffer.byteLength(body)}`,
          `x-filler: ${"x".repeat(FILLER_BYTES)}`
        ]
        const bytes = Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`)
        const ask = async (socket: net.Socket) => {
          socket.write(bytes)
          const [answer]: Array<unknown> = await once(socket, "data")
          assert.match(String(answer), /^HTTP\/1\.1 204/u)
        }
        const askAll = () => Promise.all(sockets.map(ask))
        for (let n = 0; n < BETWEEN_COLLECTIONS; n++) await askAll()
        growOld()
        const before = oldBytes()
        for (let n = 1; n <= REQUESTS; n++) {
          await askAll()
          if (n % BETWEEN_COLLECTIONS === 0) collectYoung()
        }
        const grown = oldBytes() - before
        assert.isBelow(grown, (CONNECTIONS * REQUESTS * FILLER_BYTES) / 3)
        for (const socket of sockets) socket.destroy()
      })
    }).pipe(Effect.scoped)
  )
})

/** Values at once, of so many bytes, as often as they come and go between two collections, and collections. */
const AT_ONCE = 8
const BYTES = 16 * 1_024
const TIMES = 64
const COLLECTIONS = 40

/** What grew old while values came and went. */
const grownBy = (come: () => () => void): number => {
  const gone: Array<() => void> = []
  const turn = () => {
    gone.push(come())
    if (gone.length > AT_ONCE) gone.shift()?.()
  }
  for (let n = 0; n < AT_ONCE; n++) turn()
  // What holds them grows old.
  growOld()
  const before = oldBytes()
  for (let n = 0; n < COLLECTIONS; n++) {
    for (let m = 0; m < TIMES; m++) turn()
    collectYoung()
  }
  return oldBytes() - before
}

/** A twentieth of the 40 MiB that come and go. */
const GROWN_BYTES_MAX = (COLLECTIONS * TIMES * BYTES) / 20

const valueOf = () => Array.from({ length: BYTES / 8 }, () => 0.5)

describe("a linked list", () => {
  it("keeps nothing of what was removed", () => {
    const list = new LinkedList<ReadonlyArray<number>>()
    const grown = grownBy(() => {
      const link = list.add(valueOf())
      return () => void list.remove(link)
    })
    assert.isBelow(grown, GROWN_BYTES_MAX)
  })
})
