// The body of a request that came with its head or right behind it.
import type { IncomingMessage } from "node:http"

/** Turns of the event loop that a body may come later than its head. */
const TURNS_MAX = 2

/**
 * Gives the bytes as soon as so many are here, or undefined where they are not in time: then nothing of the body was read. Who
 * does not want them puts them back at once, and the request is as it was.
 */
export const onceHere = (
  request: IncomingMessage,
  length: number,
  then: (bytes: Buffer | undefined) => void
): void => {
  let turns = 0
  const look = () => {
    // Nobody waits for an answer any more.
    if (request.destroyed) return
    if (request.readableLength >= length) return then(bytesOf(request))
    if (turns++ === TURNS_MAX) return then(undefined)
    setImmediate(look)
  }
  // What came in the same packet is parsed once this turn is over.
  process.nextTick(look)
}

const bytesOf = (request: IncomingMessage): Buffer | undefined => {
  const bytes: unknown = request.read()
  return Buffer.isBuffer(bytes) ? bytes : undefined
}
