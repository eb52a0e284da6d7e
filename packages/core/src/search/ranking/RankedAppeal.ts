// What ranking reads of an appeal: the counts of the query's terms in its texts.
import type { TermCounts } from "../text/Terms.ts"

/** A text of an appeal. */
export interface RankedText {
  readonly position: number
  readonly messageId: number | null
  /** Words of the passage around it. */
  readonly words: number
  /** It holds one of the words that must be met, in what was said and not in the speaker's name. */
  readonly matches: boolean
  readonly counts: TermCounts
}

/** An appeal with its texts by position: those that match at least, better all. */
export interface RankedAppeal {
  readonly documentId: number
  readonly createdAt: number
  /** Passages of the appeal, matching or not. */
  readonly passages: number
  /** Words of the appeal. */
  readonly words: number
  /** What its score is multiplied by. */
  readonly weight: number
  readonly texts: ReadonlyArray<RankedText>
}
