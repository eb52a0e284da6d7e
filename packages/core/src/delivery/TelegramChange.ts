// The next request that changes a message in Telegram, a request for each part that was sent (contract §8).
import type { DueDelivery } from "./DeliveryLines.ts"
import { TELEGRAM_CAPTION_UNITS_MAX, telegramPart } from "./TelegramParts.ts"

export interface TelegramChange {
  readonly method: "editMessageText" | "editMessageCaption" | "deleteMessage"
  readonly body: { readonly message_id: number; readonly text?: string; readonly caption?: string }
  readonly isLast: boolean
}

/** Why the message cannot be changed: Telegram gave no id, or the text needs more parts than were sent. */
export type UnchangeableReason = "message_unknown" | "text_too_long"

/** The change of the part after `sentUnits` parts. The parts of the text were sent before the files, a caption with the first one. */
export const telegramChange = ({
  attachments,
  sentUnits,
  kind,
  providerIds,
  text
}: Pick<DueDelivery, "attachments" | "sentUnits" | "kind" | "providerIds" | "text">):
  | TelegramChange
  | UnchangeableReason => {
  const id = providerIds[sentUnits]
  if (id === undefined) return "message_unknown"
  const deleted = { method: "deleteMessage", body: { message_id: id } } as const
  if (kind === "delete") return { ...deleted, isLast: sentUnits === providerIds.length - 1 }
  const texts = providerIds.length - attachments.length
  if (texts <= 0)
    return text.length > TELEGRAM_CAPTION_UNITS_MAX
      ? "text_too_long"
      : { method: "editMessageCaption", body: { message_id: id, caption: text }, isLast: true }
  const parts = partsOf(text)
  if (parts.length > texts) return "text_too_long"
  const part = parts[sentUnits]
  const change =
    part === undefined
      ? deleted
      : ({ method: "editMessageText", body: { message_id: id, text: part } } as const)
  return { ...change, isLast: sentUnits === texts - 1 }
}

const partsOf = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (let sentUnits = 0, isLast = false; !isLast;) {
    const part = telegramPart(text, sentUnits)
    parts.push(part.text)
    sentUnits = part.endsAt
    isLast = part.isLast
  }
  return parts
}
