// How the connections to PostgreSQL are divided between the processes of a service.
import { PARENT_CONNECTIONS, WORKER_CONNECTIONS_MIN } from "./WorkerLimits.ts"

interface Connections {
  /** Of the process that was started. */
  readonly own: number
  /** Of each worker. */
  readonly worker: number
  readonly all: number
}

/** RAPPORT_POOL_SIZE is divided between those that serve; a parent has some more for its own work. */
export const connectionsOf = ({
  poolSize,
  workers
}: {
  readonly poolSize: number
  readonly workers: number
}): Connections => {
  if (workers === 1) return { own: poolSize, worker: 0, all: poolSize }
  const worker = Math.max(Math.min(poolSize, WORKER_CONNECTIONS_MIN), Math.floor(poolSize / workers))
  return { own: PARENT_CONNECTIONS, worker, all: PARENT_CONNECTIONS + workers * worker }
}
