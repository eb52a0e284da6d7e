// Port of the transcripts in the primary database: one stretch of messages of one appeal, for callers who may see the appeal.
import type { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import { Context, type Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { SequenceFound, SequenceStretch } from "../lists/SequencePages.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"

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
    readonly find: (
      caller: Caller,
      page: TranscriptPage
    ) => Effect.Effect<SequenceFound<AppealMessage> | undefined, SourceUnavailable>
  }
>()("core/appeals/TranscriptStore") {}
