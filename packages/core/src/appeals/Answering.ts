// Since when a client waits, and when the first answer came (docs/contract.md §7, waitingSince, firstResponseAt).

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

/** A chat that a message is written into, whenever it was said. */
export interface Answerable extends Answering {
  readonly waits: boolean
  readonly createdAt: number
  /** All messages of the client and of operators, in the order of time; null where none was said after the new one. */
  readonly history: ReadonlyArray<Written> | null
}

/** The same as if all messages had come as one history; of two of the same time the new one is the later. */
export const answeringWith = (before: Answerable, message: Written): Answering => {
  const { history } = before
  if (history === null) return answering(before, message)
  const place = history.filter(({ occurredAt }) => occurredAt <= message.occurredAt).length
  return history.toSpliced(place, 0, message).reduce(answering, unanswered(before))
}

/** Ids of users in the order of their first part in the appeal; a part is for ever. */
export const participating = (
  before: ReadonlyArray<number>,
  userIds: ReadonlyArray<number | null>
): ReadonlyArray<number> => [...new Set([...before, ...userIds.filter((id): id is number => id !== null)])]
