// Port of the transcripts in the primary database: one stretch of messages of one appeal, for callers who may see the appeal.
import type { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import { Context } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { SequenceFound, SequenceStretch } from "../lists/SequencePages.ts"
import type { Stored } from "../lists/Stored.ts"

export type AppealKind = "chat" | "ticket"

export interface TranscriptPage extends SequenceStretch<number> {
  readonly kind: AppealKind
  readonly appealId: number
}

export class TranscriptStore extends Context.Service<
  TranscriptStore,
  {
    /**
     * Undefined when the appeal is unknown, foreign, of another kind or not visible, or the message in the middle is not
     * one of its own.
     */
    readonly find: (caller: Caller, page: TranscriptPage) => Stored<SequenceFound<AppealMessage> | undefined>
  }
>()("core/appeals/TranscriptStore") {}
