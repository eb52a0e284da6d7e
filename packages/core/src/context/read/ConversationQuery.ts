// Makes a query from a conversation that goes on (contract §3.1, "The query of a conversation").

/** Messages of the client that make a query. */
export const CONVERSATION_QUERY_MESSAGES_MAX = 4
/** Code points of the newest one. */
export const CONVERSATION_QUERY_POINTS_MAX = 200

/** The conversation that a read is for. The evidence leaves it out. */
export interface Conversation {
  /** Null for a session without an appeal. */
  readonly appealId: number | null
  /** Null if an appeal was named. */
  readonly sessionId: string | null
}

export interface OpenedConversation extends Conversation {
  /** The beginnings of the last texts of the client, newest first. */
  readonly texts: ReadonlyArray<string>
}

/** Each older message has half as many words as the one after it, so the newest weighs most. Null if the client wrote nothing. */
export const queryOf = (texts: ReadonlyArray<string>): string | null => {
  const parts = texts.map((text, age) => beginningOf(text, CONVERSATION_QUERY_POINTS_MAX / 2 ** age))
  const query = parts.filter((part) => part !== "").join(" ")
  return query === "" ? null : query
}

/** Whole words, unless the first is longer than that. */
const beginningOf = (text: string, pointsMax: number): string => {
  const points = Array.from(text.trim().replace(/\s+/gu, " "))
  if (points.length <= pointsMax) return points.join("")
  const cut = points.slice(0, pointsMax).join("")
  return points[pointsMax] === " " ? cut : cut.replace(/(?<=\S) \S*$/u, "")
}
