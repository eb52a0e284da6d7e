// What is noted of a request and gone with it: when it arrived, since what waits for its turn before the application waits on the
// caller's time (docs/contract.md §3.4), and what the access log says beyond what its connection knows.
import type { IncomingMessage, Server } from "node:http"

const instances = new WeakMap<object, number>()
const requestIds = new WeakMap<object, string>()

/** A request with what Node gave it as. */
interface Request {
  readonly source: object
}

/** Names the instance of a request that was authenticated. */
export const noteInstance = ({ source }: Request, instanceId: number): void =>
  void instances.set(source, instanceId)
/** Names a request. */
export const noteRequestId = ({ source }: Request, id: string): void => void requestIds.set(source, id)

/** Of a request as Node gave it. */
export const namesOf = (source: object) => ({
  instance: instances.get(source) ?? null,
  requestId: requestIds.get(source) ?? null
})

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
