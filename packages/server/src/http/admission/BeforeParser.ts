// Looks at what comes on a connection before Node parses it: a request that is refused there takes two thirds of the main thread's
// time. Only between two requests, where every byte before was parsed and answered, so that no part of one is taken for another.
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { bytesBehindHead, type WholeRequest, wholeRequest } from "./WholeRequest.ts"

/** What was given to Node last. */
interface Given {
  /** Bytes behind the first head. */
  bodyBytes: number
  /** The answer to what began in it. */
  response: ServerResponse | undefined
}

export interface Looking {
  /** Whether it is worth a look. */
  readonly isOn: () => boolean
  /** Whether the request is answered here, on its connection, which is not read until `done`. */
  readonly take: (request: WholeRequest, socket: Socket, done: () => void) => boolean
}

/** Whether Node waits for the next request: it found one in what it was given, which ended there and is answered. */
const isBetween = ({ bodyBytes, response }: Given): boolean => {
  if (response === undefined || !response.writableFinished || !response.req.complete) return false
  return Number(response.req.headers["content-length"] ?? 0) === bodyBytes
}

export class BeforeParser {
  readonly #looking: Looking
  readonly #watched = new WeakMap<Socket, Given>()

  constructor(looking: Looking) {
    this.#looking = looking
  }

  /** To be told of every request that Node has parsed, at once. */
  note({ socket }: IncomingMessage, response: ServerResponse): void {
    const given = this.#watched.get(socket)
    if (given !== undefined) given.response = response
  }

  /** Looks at this connection from now on. Others cost nothing: Node reads them without a detour through JavaScript. */
  watch(socket: Socket): void {
    const [parse] = socket.listeners("data")
    if (parse === undefined || this.#watched.has(socket)) return
    // What of it was given to Node before is not known.
    const given: Given = { bodyBytes: -1, response: undefined }
    this.#watched.set(socket, given)
    socket.off("data", parse as (bytes: Buffer) => void).on("data", (bytes: Buffer) => {
      const isFree = this.#looking.isOn() && socket.writableLength === 0 && isBetween(given)
      if (isFree && this.#isTaken(wholeRequest(bytes), socket)) return
      given.bodyBytes = bytesBehindHead(bytes)
      given.response = undefined
      parse.call(socket, bytes)
    })
  }

  #isTaken(request: WholeRequest | undefined, socket: Socket): boolean {
    if (request === undefined) return false
    let isDone = false
    const done = () => {
      isDone = true
      if (!socket.destroyed && socket.isPaused()) socket.resume()
    }
    const isTaken = this.#looking.take(request, socket, done)
    if (isTaken && !isDone) socket.pause()
    return isTaken
  }
}
