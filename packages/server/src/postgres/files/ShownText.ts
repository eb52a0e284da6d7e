// The text of a message as search and packs show it, with a mark for each of its files.

/** `message` is an alias of appeal_messages or session_messages. The function is called only for messages with files, which are few. */
export const shownText = (message: string, text: "text" | "content" = "text"): string =>
  `case when ${message}.attachments is null then ${message}.${text} else message_text(${message}.${text}, ${message}.attachments) end`
