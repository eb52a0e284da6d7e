// Decodes an Update of Telegram: a new text message, or nothing (contract §8, "Inbound").
import { APPEAL_TEXT_POINTS_MAX, SHORT_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { isVisibleText } from "@rapport/contract/values/Checks.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import { Option, Schema } from "effect"
import type { ReceivedMessage } from "./InboundStore.ts"

const Name = Schema.optionalKey(Schema.String)

/** The members that are read; others are ignored. */
const Update = Schema.Struct({
  message: Schema.Struct({
    message_id: Schema.Int,
    date: Schema.optionalKey(Schema.Unknown),
    chat: Schema.Struct({ id: Schema.Int, first_name: Name, last_name: Name, username: Name, title: Name }),
    text: Schema.String.check(Schema.isMinLength(1))
  })
})
const decode = Schema.decodeUnknownOption(Update)
/** Telegram writes 0 for a time that it does not show. */
const decodeSeconds = Schema.decodeUnknownOption(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 0xff_ff_ff_ff }))
)

/** Undefined for updates without a new text, such as edits and pictures. */
export const messageIn = (update: Readonly<Record<string, unknown>>): ReceivedMessage | undefined => {
  const found = Option.getOrUndefined(decode(update))
  if (found === undefined) return undefined
  const { chat, date, message_id, text } = found.message
  const fullName = [chat.first_name, chat.last_name].filter((part) => part !== undefined).join(" ")
  const name = [fullName, chat.title ?? "", chat.username ?? ""]
    .map((one) => composedText(one.trim()))
    .find(isVisibleText)
  return {
    chatId: String(chat.id),
    clientName: name === undefined ? null : pointsOf(name, SHORT_TEXT_POINTS_MAX),
    text: pointsOf(text, APPEAL_TEXT_POINTS_MAX),
    externalMessageId: String(message_id),
    occurredAt: Option.getOrNull(Option.map(decodeSeconds(date), (seconds) => seconds * 1_000))
  }
}

/** The first so many code points. */
const pointsOf = (text: string, max: number): string =>
  text.length <= max
    ? text
    : Array.from(text.slice(0, 2 * max))
        .slice(0, max)
        .join("")
