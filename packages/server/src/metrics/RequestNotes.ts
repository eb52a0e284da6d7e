// What is noted of a request and gone with it: when it arrived, since what waits for its turn before the application waits on the
// caller's time (docs/contract.md §3.4), and what the access log says beyond what its connection knows.
import type { IncomingMessage, Server } from "node:http"

interface Notes {
  /** Null of a request in memory. */
  arrivedAt: number | null
  instance: number | null
  requestId: string | null
}

/** A request with what Node gave it as. */
interface Request {
  readonly source: object
}

/** One entry a request: collecting garbage costs more for each. */
const notes = new WeakMap<object, Notes>()

const noted = (source: object): Notes => {
  const known = notes.get(source)
  if (known !== undefined) return known
  const begun: Notes = { arrivedAt: null, instance: null, requestId: null }
  notes.set(source, begun)
  return begun
}

/** Names the instance of a request that was authenticated. */
export const noteInstance = ({ source }: Request, instanceId: number): void => {
  noted(source).instance = instanceId
}
/** Names a request. */
export const noteRequestId = ({ source }: Request, id: string): void => {
  noted(source).requestId = id
}

/** Of a request as Node gave it. */
export const namesOf = (source: object) => {
  const known = notes.get(source)
  return { instance: known?.instance ?? null, requestId: known?.requestId ?? null }
}

const note = (request: IncomingMessage) => {
  noted(request).arrivedAt = performance.now()
}

/** The listener, set to note when each request arrived, before anything else handles it. */
export const withArrivals = (server: Server): Server =>
  server.prependListener("request", note).prependListener("checkContinue", note)

/** Whole milliseconds since a request, as Node gave it, arrived; 0 of one in memory. */
export const millisSinceArrival = (source: object): number => {
  const arrivedAt = notes.get(source)?.arrivedAt
  return arrivedAt == null ? 0 : Math.floor(performance.now() - arrivedAt)
}
