// A proxy in front of a real server that injects faults: delays, statuses, changed bodies, no answer.
import { Effect } from "effect"
import * as http from "node:http"
import { listenOnLoopback } from "./LoopbackServer.ts"

export type ProxyFault =
  | { readonly _tag: "Slow"; readonly millis: number }
  /** Never answers. */
  | { readonly _tag: "Silent" }
  | { readonly _tag: "Status"; readonly status: number; readonly body: string }
  /** Changes the body of the answer. */
  | { readonly _tag: "Body"; readonly change: (body: string) => string }

export interface FaultyProxy {
  readonly url: string
  /** Undefined: no fault. `only` selects requests by method and path. */
  readonly set: (fault: ProxyFault | undefined, only?: RegExp) => void
}

/** In front of `target`, until the scope ends. */
export const faultyProxy = Effect.fnUntraced(function* (origin: string) {
  const target = new URL(origin)
  let fault: ProxyFault | undefined
  let only: RegExp = /^/u
  const agent = new http.Agent({ keepAlive: true })
  const server = http.createServer((request, response) => {
    const now = fault !== undefined && only.test(`${request.method} ${request.url}`) ? fault : undefined
    if (now?._tag === "Silent") return
    if (now?._tag === "Status") {
      response.writeHead(now.status, { "content-type": "application/json" })
      response.end(now.body)
      return
    }
    const { method = "GET", headers } = request
    const upstream = http.request(
      { agent, hostname: target.hostname, port: target.port, method, path: request.url, headers },
      (answer) => {
        if (now?._tag === "Body") return sendChangedBody(answer, response, now.change)
        if (now?._tag === "Slow") {
          setTimeout(() => pass(answer, response), now.millis)
          return
        }
        pass(answer, response)
      }
    )
    upstream.on("error", () => response.destroy())
    response.on("close", () => upstream.destroy())
    request.pipe(upstream)
  })
  return {
    url: `http://127.0.0.1:${yield* listenOnLoopback(server)}`,
    set: (next, which = /^/u) => {
      fault = next
      only = which
    }
  } satisfies FaultyProxy
})

const pass = (answer: http.IncomingMessage, response: http.ServerResponse): void => {
  response.writeHead(answer.statusCode ?? 500, answer.headers)
  answer.pipe(response)
}

const sendChangedBody = (
  answer: http.IncomingMessage,
  response: http.ServerResponse,
  change: (body: string) => string
): void => {
  let body = ""
  answer.setEncoding("utf8").on("data", (text: string) => (body += text))
  answer.on("end", () => {
    const { "content-length": _length, ...headers } = answer.headers
    response.writeHead(answer.statusCode ?? 500, headers)
    response.end(change(body))
  })
}
