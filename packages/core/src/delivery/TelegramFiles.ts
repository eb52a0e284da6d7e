// Port of the files of Telegram (contract §8, "Inbound").
import { Context, type Effect, type Redacted, type Stream } from "effect"

/** `unavailable`: a retry may help. */
export type TelegramFileFault = "too_large" | "missing" | "unavailable"

export class TelegramFiles extends Context.Service<
  TelegramFiles,
  {
    /** The bytes of a file that the bot of this token has received. */
    readonly open: (
      token: Redacted.Redacted,
      fileId: string
    ) => Effect.Effect<Stream.Stream<Uint8Array, TelegramFileFault>, TelegramFileFault>
  }
>()("@rapport/core/delivery/TelegramFiles") {}
