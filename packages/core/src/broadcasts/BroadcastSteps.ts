// The allowed steps of a broadcast (contract §9.1); pure.
import type { BroadcastResults, BroadcastStatus } from "@rapport/contract/broadcasts/Broadcast.ts"

export type BroadcastStep = "start" | "pause" | "resume" | "cancel"

const from: Readonly<Record<BroadcastStep, ReadonlyArray<BroadcastStatus>>> = {
  start: ["draft"],
  pause: ["running"],
  resume: ["paused"],
  cancel: ["draft", "scheduled", "running", "paused"]
}

/** The status after the step; undefined if the present status does not allow it. Times are epoch milliseconds. */
export const statusAfterStep = (
  { scheduledAt, status }: { readonly status: BroadcastStatus; readonly scheduledAt: number | null },
  step: BroadcastStep,
  now: number
): BroadcastStatus | undefined => {
  if (!from[step].includes(status)) return undefined
  switch (step) {
    // A broadcast that a restore paused may not have started yet.
    case "start":
    case "resume":
      return scheduledAt !== null && scheduledAt > now ? "scheduled" : "running"
    case "pause":
      return "paused"
    case "cancel":
      return "cancelled"
  }
}

/** How a running broadcast ends; undefined while a recipient is queued. */
export const endOf = ({
  failed,
  queued,
  skipped,
  total
}: BroadcastResults): "completed" | "failed" | undefined => {
  if (queued > 0) return undefined
  return failed > 0 && failed === total - skipped ? "failed" : "completed"
}
