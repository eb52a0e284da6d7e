// The input of the ranking for an appeal: the counts of the query's terms in its texts.
import type { TermCounts } from "../text/Terms.ts"

/** A text of an appeal. */
export interface RankedText {
  readonly position: number
  readonly messageId: number | null
  /** Words of the passage around it. */
  readonly words: number
  /** Whether the text itself, not the speaker's name, has a word that must match. */
  readonly matches: boolean
  readonly counts: TermCounts
}

/** An appeal with its texts by position: all of them, or only those that match. */
export interface RankedAppeal {
  readonly documentId: number
  readonly createdAt: number
  /** Passages of the appeal, matching or not. */
  readonly passages: number
  /** Words of the appeal. */
  readonly words: number
  /** The factor of its score. */
  readonly weight: number
  readonly texts: ReadonlyArray<RankedText>
}
