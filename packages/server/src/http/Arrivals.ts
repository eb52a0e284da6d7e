// When requests arrived: what waits for its turn before the application waits on the caller's time (docs/contract.md §3.4).
import type { IncomingMessage, Server } from "node:http"

const arrivals = new WeakMap<object, number>()

const note = (request: IncomingMessage) => void arrivals.set(request, performance.now())

/** The listener, set to note when each request arrived, before anything else handles it. */
export const withArrivals = (server: Server): Server =>
  server.prependListener("request", note).prependListener("checkContinue", note)

/** Whole milliseconds since a request, as Node gave it, arrived; 0 of one in memory. */
export const millisSinceArrival = (source: object): number => {
  const arrivedAt = arrivals.get(source)
  return arrivedAt === undefined ? 0 : Math.floor(performance.now() - arrivedAt)
}
