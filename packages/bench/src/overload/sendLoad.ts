// Sends a load from a thread of its own and posts the outcome.
import { Effect } from "effect"
import { parentPort, workerData } from "node:worker_threads"
import { type Load, load } from "../Load.ts"
import type { HttpRequest } from "../Requests.ts"

export interface LoadPlan extends Omit<Load, "request"> {
  /** Sent round-robin. */
  readonly requests: readonly [HttpRequest, ...ReadonlyArray<HttpRequest>]
}

const { requests, ...plan }: LoadPlan = workerData
const request = (connection: number, n: number) => requests[(connection + n) % requests.length] ?? requests[0]
parentPort?.postMessage(await Effect.runPromise(load({ ...plan, request })))
