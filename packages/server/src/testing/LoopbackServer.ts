// Servers and proxies of tests on a free port of loopback.
import { Effect } from "effect"
import * as http from "node:http"
import type * as net from "node:net"

/** Starts a server, which is closed with the scope. Returns its port. */
export const listenOnLoopback = (server: net.Server & { readonly closeAllConnections?: () => void }) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections?.()
      })
  )

/** Sends an answer as it came. */
export const sendAnswer = (answer: http.IncomingMessage, response: http.ServerResponse): void => {
  response.writeHead(answer.statusCode ?? 502, answer.headers)
  answer.pipe(response)
}

/** Passes a request on to another server, and its answer back. */
export const passTo = (
  origin: string,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  {
    headers = request.headers,
    send = sendAnswer
  }: { headers?: http.OutgoingHttpHeaders; send?: typeof sendAnswer } = {}
): void => {
  const passed = http.request(
    new URL(request.url ?? "/", origin),
    { method: request.method, headers },
    (answer) => send(answer, response)
  )
  passed.on("error", () => response.destroy())
  response.on("close", () => passed.destroy())
  request.pipe(passed)
}
