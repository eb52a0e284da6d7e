// A proxy in front of a real server that injects faults: delays, statuses, changed bodies, no answer.
import { Effect } from "effect"
import * as http from "node:http"
import { listenOnLoopback, passTo, sendAnswer } from "./LoopbackServer.ts"

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
export const faultyProxy = Effect.fnUntraced(function* (target: string) {
  let fault: ProxyFault | undefined
  let only: RegExp = /^/u
  const server = http.createServer((request, response) => {
    const now = fault !== undefined && only.test(`${request.method} ${request.url}`) ? fault : undefined
    switch (now?._tag) {
      case "Silent":
        return
      case "Status":
        return void response.writeHead(now.status, { "content-type": "application/json" }).end(now.body)
      case "Body":
        return passTo(target, request, response, {
          send: (answer) => sendChangedBody(answer, response, now.change)
        })
      case "Slow":
        return passTo(target, request, response, {
          send: (answer) => void setTimeout(() => sendAnswer(answer, response), now.millis)
        })
      default:
        return passTo(target, request, response)
    }
  })
  return {
    url: `http://127.0.0.1:${yield* listenOnLoopback(server)}`,
    set: (next, which = /^/u) => {
      fault = next
      only = which
    }
  } satisfies FaultyProxy
})

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
