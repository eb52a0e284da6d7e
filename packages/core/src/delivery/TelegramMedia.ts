// The file of a message of Telegram (contract §8, "Inbound").
import { DEFAULT_MEDIA_TYPE, isMediaType } from "@rapport/contract/files/FilesApi.ts"
import { FILE_NAME_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { isVisibleText } from "@rapport/contract/values/Checks.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import { Option, Schema } from "effect"

export interface TelegramMedia {
  readonly fileId: string
  readonly name: string
  readonly mediaType: string
  /** 0 if Telegram does not announce it. */
  readonly bytes: number
}

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The members of every kind of file that are read. */
const File = Schema.Struct({
  file_id: Schema.NonEmptyString,
  file_size: optional(Schema.Int),
  file_name: optional(Schema.String),
  mime_type: optional(Schema.String),
  width: optional(Schema.Int),
  emoji: optional(Schema.String),
  is_animated: optional(Schema.Boolean),
  is_video: optional(Schema.Boolean)
})
const decodeFile = Schema.decodeUnknownOption(File)
const decodePhoto = Schema.decodeUnknownOption(Schema.Array(File))

/** Names and media types of files without their own. */
const kinds = {
  document: ["document", DEFAULT_MEDIA_TYPE],
  video: ["video.mp4", "video/mp4"],
  animation: ["animation.mp4", "video/mp4"],
  audio: ["audio.mp3", "audio/mpeg"],
  voice: ["voice.ogg", "audio/ogg"],
  video_note: ["video_note.mp4", "video/mp4"]
} as const

export const mediaIn = (message: Readonly<Record<string, unknown>>): TelegramMedia | undefined => {
  for (const [kind, [name, mediaType]] of Object.entries(kinds)) {
    const file = Option.getOrUndefined(decodeFile(message[kind]))
    if (file !== undefined) return mediaOf(file, name, mediaType)
  }
  const sizes = Option.getOrElse(decodePhoto(message["photo"]), () => [])
  const largest = sizes.toSorted((a, b) => (b.width ?? 0) - (a.width ?? 0))[0]
  if (largest !== undefined) return mediaOf(largest, "photo.jpg", "image/jpeg")
  const sticker = Option.getOrUndefined(decodeFile(message["sticker"]))
  return sticker && stickerOf(sticker)
}

/** Operators and packs see the emoji in the name. */
const stickerOf = (sticker: typeof File.Type): TelegramMedia => {
  const [ending, mediaType] = sticker.is_animated
    ? ["tgs", "application/x-tgsticker"]
    : sticker.is_video
      ? ["webm", "video/webm"]
      : ["webp", "image/webp"]
  const file_name = `${["sticker", sticker.emoji].filter(Boolean).join(" ")}.${ending}`
  return mediaOf({ ...sticker, file_name }, `sticker.${ending}`, mediaType)
}

const mediaOf = (
  { file_id, file_name, file_size, mime_type }: typeof File.Type,
  name: string,
  mediaType: string
): TelegramMedia => ({
  fileId: file_id,
  name: safeName(file_name ?? "") ?? name,
  mediaType: isMediaType(mime_type ?? "") ? (mime_type ?? mediaType) : mediaType,
  bytes: file_size ?? 0
})

/** The name as an upload may have it; undefined if nothing is left of it. */
const safeName = (name: string): string | undefined => {
  const safe = composedText(name.replaceAll(/[\p{Cc}/\\]/gu, "_").trim())
  return isVisibleText(safe) ? [...safe].slice(0, FILE_NAME_POINTS_MAX).join("") : undefined
}
