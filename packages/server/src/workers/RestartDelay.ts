// How long a worker that ended is not replaced.
import { WORKER_DELAY_MILLIS, WORKER_DELAY_MILLIS_MAX } from "./WorkerLimits.ts"

/** After so many ends of workers that had served only for a short while. */
export const restartDelayMillis = (endsInARow: number): number =>
  endsInARow === 0 ? 0 : Math.min(WORKER_DELAY_MILLIS_MAX, WORKER_DELAY_MILLIS * 2 ** (endsInARow - 1))
