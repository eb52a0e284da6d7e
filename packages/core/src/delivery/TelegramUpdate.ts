// Decodes an Update of Telegram (contract §8, "Inbound").
import type { UnsubscribedReason } from "@rapport/contract/clients/ClientsApi.ts"
import { isVisibleText } from "@rapport/contract/values/Checks.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import { Option, Schema } from "effect"
import type { ReceivedMessage } from "./InboundStore.ts"
import { mediaIn, type TelegramMedia } from "./TelegramMedia.ts"

export type TelegramEvent =
  | {
      readonly _tag: "Message"
      readonly message: ReceivedMessage
      /** The file that Telegram has for the message. */
      readonly media: TelegramMedia | undefined
    }
  /** The client has edited a message. */
  | { readonly _tag: "Edited"; readonly message: ReceivedMessage }
  /** The bot may write to the chat, or not for this reason. */
  | {
      readonly _tag: "Membership"
      readonly chatId: string
      readonly unsubscribedReason: UnsubscribedReason | null
    }
  /** A group became a supergroup, which has another id. */
  | { readonly _tag: "Moved"; readonly chatId: string; readonly toChatId: string }

/** The members that are read; others are ignored. */
const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
const Chat = Schema.Struct({ id: Schema.Int })

const decodeMessage = Schema.decodeUnknownOption(
  Schema.Struct({
    message: Schema.Struct({
      message_id: Schema.Int,
      date: Schema.optionalKey(Schema.Unknown),
      chat: Schema.Struct({ ...Chat.fields, first_name: Text, last_name: Text, username: Text, title: Text }),
      text: Text,
      caption: Text
    })
  })
)
const decodeMigration = Schema.decodeUnknownOption(
  Schema.Struct({
    message: Schema.Union([
      Schema.Struct({ chat: Chat, migrate_to_chat_id: Schema.Int }),
      Schema.Struct({ chat: Chat, migrate_from_chat_id: Schema.Int })
    ])
  })
)
const decodeMembership = Schema.decodeUnknownOption(
  Schema.Struct({
    my_chat_member: Schema.Struct({
      chat: Schema.Struct({ ...Chat.fields, type: Schema.String }),
      new_chat_member: Schema.Struct({
        status: Schema.Literals(["creator", "administrator", "member", "restricted", "left", "kicked"]),
        is_member: Schema.optionalKey(Schema.Boolean)
      })
    })
  })
)
/** Telegram writes 0 for a time that it does not show. */
const decodeSeconds = Schema.decodeUnknownOption(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 0xff_ff_ff_ff }))
)

type Update = Readonly<Record<string, unknown>>

/** `account` is the id of the bot. Undefined for other updates, such as locations. */
export const eventIn = (update: Update, account: string | null): TelegramEvent | undefined =>
  messageIn(update, account) ?? editIn(update, account) ?? migrationIn(update) ?? membershipIn(update)

const messageIn = (update: Update, account: string | null): TelegramEvent | undefined => {
  const found = Option.getOrUndefined(decodeMessage(update))
  if (found === undefined) return undefined
  const { caption, chat, date, message_id } = found.message
  const text = found.message.text ?? caption
  const media = mediaIn(Object(update["message"]))
  if (!text && media === undefined) return undefined
  const fullName = [chat.first_name, chat.last_name].filter(Boolean).join(" ")
  const name = [fullName, chat.title ?? "", chat.username ?? ""]
    .map((one) => composedText(one.trim()))
    .find(isVisibleText)
  return {
    _tag: "Message",
    message: {
      chatId: String(chat.id),
      clientName: name ?? null,
      text: text ?? "",
      attachmentIds: [],
      // A message_id is unique only in a chat with a bot, and one of our chats may outlive both.
      externalMessageId: [...(account === null ? [] : [account]), chat.id, message_id].join(":"),
      occurredAt: Option.getOrNull(Option.map(decodeSeconds(date), (seconds) => seconds * 1_000))
    },
    media
  }
}

const editIn = (update: Update, account: string | null): TelegramEvent | undefined => {
  const edited = messageIn({ message: update["edited_message"] }, account)
  return edited?._tag === "Message" ? { _tag: "Edited", message: edited.message } : undefined
}

const migrationIn = (update: Update): TelegramEvent | undefined => {
  const message = Option.getOrUndefined(decodeMigration(update))?.message
  if (message === undefined) return undefined
  const [from, to] =
    "migrate_to_chat_id" in message
      ? [message.chat.id, message.migrate_to_chat_id]
      : [message.migrate_from_chat_id, message.chat.id]
  return { _tag: "Moved", chatId: String(from), toChatId: String(to) }
}

const membershipIn = (update: Update): TelegramEvent | undefined => {
  const found = Option.getOrUndefined(decodeMembership(update))?.my_chat_member
  if (found === undefined) return undefined
  const { is_member = true, status } = found.new_chat_member
  const isOutside = status === "left" || status === "kicked" || !is_member
  const reason = found.chat.type === "private" ? "blocked" : "removed"
  return {
    _tag: "Membership",
    chatId: String(found.chat.id),
    unsubscribedReason: isOutside ? reason : null
  }
}
