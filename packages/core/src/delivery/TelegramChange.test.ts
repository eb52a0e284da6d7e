// The requests that change a message in Telegram (contract §8).
import { assert, it } from "@effect/vitest"
import { telegramChange, type TelegramChange } from "./TelegramChange.ts"

const file = { id: "f", name: "рахунок.pdf", mediaType: "application/pdf", bytes: 9 }
const long = `${"а".repeat(4_000)}\n${"б".repeat(4_000)}`

const requests = (
  kind: "edit" | "delete",
  text: string,
  providerIds: ReadonlyArray<number>,
  attachments: ReadonlyArray<typeof file> = []
) => {
  const made: Array<string> = []
  for (let sentUnits = 0; ; sentUnits++) {
    const change = telegramChange({ kind, text, providerIds, attachments, sentUnits })
    made.push(typeof change === "string" ? change : describeCall(change))
    if (typeof change === "string" || change.isLast) return made
  }
}
const describeCall = ({ body, method }: TelegramChange) =>
  `${method} ${body.message_id} ${(body.text ?? body.caption ?? "").slice(0, 2)}`.trim()

it.each([
  ["a text", requests("edit", "нове", [7]), ["editMessageText 7 но"]],
  ["a text in parts", requests("edit", long, [7, 8]), ["editMessageText 7 аа", "editMessageText 8 бб"]],
  ["a shorter text", requests("edit", "нове", [7, 8]), ["editMessageText 7 но", "deleteMessage 8"]],
  ["a text that needs another part", requests("edit", long, [7]), ["text_too_long"]],
  ["a caption", requests("edit", "нове", [7, 8], [file, file]), ["editMessageCaption 7 но"]],
  ["a caption that is too long", requests("edit", "а".repeat(1_025), [7], [file]), ["text_too_long"]],
  ["a text before files", requests("edit", "нове", [7, 8], [file]), ["editMessageText 7 но"]],
  [
    "all parts and files",
    requests("delete", "", [7, 8, 9]),
    ["deleteMessage 7", "deleteMessage 8", "deleteMessage 9"]
  ],
  ["a message without ids", requests("delete", "", []), ["message_unknown"]]
] as const)("a change in Telegram names the parts that were sent: %s", (_, made, expected) => {
  assert.deepStrictEqual(made, [...expected])
})
