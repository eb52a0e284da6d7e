// The steps of a broadcast, decided purely (contract §9.1). It ends by itself, too: completed or failed.
import type { BroadcastResults, BroadcastStatus } from "@rapport/contract/broadcasts/Broadcast.ts"

export type BroadcastStep = "start" | "pause" | "resume" | "cancel"

const from: Readonly<Record<BroadcastStep, ReadonlyArray<BroadcastStatus>>> = {
  start: ["draft"],
  pause: ["running"],
  resume: ["paused"],
  cancel: ["draft", "scheduled", "running", "paused"]
}

/** What the step makes of it; undefined where the status does not allow it. Times are epoch milliseconds. */
export const stepped = (
  { scheduledAt, status }: { readonly status: BroadcastStatus; readonly scheduledAt: number | null },
  step: BroadcastStep,
  now: number
): BroadcastStatus | undefined => {
  if (!from[step].includes(status)) return undefined
  switch (step) {
    // One that a restore paused may not have begun.
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
