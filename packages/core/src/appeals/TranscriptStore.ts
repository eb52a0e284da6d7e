// Port of transcripts in the primary database: a range of messages of an appeal that the caller may see.
import type { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import { Context } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { SequenceFound, SequenceStretch } from "../lists/SequencePages.ts"
import type { StoreEffect } from "../lists/StoreMethods.ts"

export type AppealKind = "chat" | "ticket"

export interface TranscriptPage extends SequenceStretch<number> {
  readonly kind: AppealKind
  readonly appealId: number
}

export class TranscriptStore extends Context.Service<
  TranscriptStore,
  {
    /**
     * Undefined if the appeal is unknown, of another instance or kind, or not visible, or if the message in the middle belongs to
     * another appeal.
     */
    readonly find: (
      caller: Caller,
      page: TranscriptPage
    ) => StoreEffect<SequenceFound<AppealMessage> | undefined>
  }
>()("core/appeals/TranscriptStore") {}
