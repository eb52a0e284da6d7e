// Since when a client waits, and when the first answer came (contract §7, waitingSince, firstResponseAt).

export interface Answering {
  /** Epoch milliseconds; null when answered or closed. */
  readonly waitingSince: number | null
  readonly firstResponseAt: number | null
  /** Whether the client has written at all: only then there is something to respond to. */
  readonly clientWrote: boolean
}

interface Written {
  readonly authorType: "client" | "operator" | "bot" | "system"
  readonly occurredAt: number
}

/** Before the first message: an incoming chat that waits does so since its creation. */
export const unanswered = (opened: { readonly waits: boolean; readonly createdAt: number }): Answering => ({
  waitingSince: opened.waits ? opened.createdAt : null,
  firstResponseAt: null,
  clientWrote: false
})

/** What a message that is the latest changes. Bot and system messages answer nothing. */
export const answering = (before: Answering, message: Written): Answering => {
  if (message.authorType === "client") {
    // Until the client wrote, the wait began with the creation.
    const earlier = before.clientWrote ? before.waitingSince : null
    return { ...before, clientWrote: true, waitingSince: earlier ?? message.occurredAt }
  }
  if (message.authorType !== "operator") return before
  return {
    ...before,
    waitingSince: null,
    firstResponseAt: before.firstResponseAt ?? (before.clientWrote ? message.occurredAt : null)
  }
}

/** Ids of users in the order of their first part in the appeal; a part is for ever. */
export const participating = (
  before: ReadonlyArray<number>,
  userIds: ReadonlyArray<number | null>
): ReadonlyArray<number> => [...new Set([...before, ...userIds.filter((id): id is number => id !== null)])]
