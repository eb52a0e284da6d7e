import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { IpNetwork } from "effect/net"
import * as http from "node:http"
import { withTrustedTraces } from "./TraceHeaders.ts"

const networks = (text: string) => [Result.getOrThrow(IpNetwork.fromString(text))]

/** The trace headers that an application behind the listener is given. */
const seenWith = (trusted: ReadonlyArray<IpNetwork.IpNetwork>) =>
  Effect.promise(async () => {
    const server = withTrustedTraces(
      http.createServer((request, response) =>
        response.end(JSON.stringify([request.headers["traceparent"] ?? null, request.headers["b3"] ?? null]))
      ),
      trusted
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      headers: { traceparent: "00-a-b-01", b3: "0" }
    })
    const text = await answer.text()
    server.closeAllConnections()
    server.close()
    return text
  })

describe("the trace of a caller", () => {
  it.live("is taken over from a trusted proxy only", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* seenWith([]), "[null,null]")
      assert.strictEqual(yield* seenWith(networks("10.0.0.0/8")), "[null,null]")
      assert.strictEqual(yield* seenWith(networks("127.0.0.0/8")), '["00-a-b-01","0"]')
    })
  )
})
