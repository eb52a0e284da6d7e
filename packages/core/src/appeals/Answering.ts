// Computes waitingSince and firstResponseAt of an appeal (contract §7, waitingSince, firstResponseAt).

export interface Answering {
  /** Epoch milliseconds; null when answered or closed. */
  readonly waitingSince: number | null
  readonly firstResponseAt: number | null
  /** Whether the client has written: a response needs a message of the client. */
  readonly clientWrote: boolean
}

interface WrittenMessage {
  readonly authorType: "client" | "operator" | "bot" | "system"
  readonly occurredAt: number
  readonly visibility?: "public" | "internal"
}

/** The state before the first message: a waiting incoming chat waits since its creation. */
export const initialAnswering = (opened: {
  readonly waits: boolean
  readonly createdAt: number
}): Answering => ({
  waitingSince: opened.waits ? opened.createdAt : null,
  firstResponseAt: null,
  clientWrote: false
})

/** The state after a message that is the latest. Notes, bot and system messages are no answers. */
export const answeringAfter = (before: Answering, message: WrittenMessage): Answering => {
  if (message.authorType === "client") {
    // Before the first message of the client the wait began with the creation.
    const earlier = before.clientWrote ? before.waitingSince : null
    return { ...before, clientWrote: true, waitingSince: earlier ?? message.occurredAt }
  }
  if (message.authorType !== "operator" || message.visibility === "internal") return before
  return {
    ...before,
    waitingSince: null,
    firstResponseAt: before.firstResponseAt ?? (before.clientWrote ? message.occurredAt : null)
  }
}

/** User ids in the order of their first participation, which is permanent. */
export const addParticipants = (
  before: ReadonlyArray<number>,
  userIds: ReadonlyArray<number | null>
): ReadonlyArray<number> => [...new Set([...before, ...userIds.filter((id): id is number => id !== null)])]
