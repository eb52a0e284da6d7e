// What a form of a pack, JSON or Markdown, has to know for a budget: the parts it is made of, its size, its text.
import type { PackDraft, Part } from "./PackDraft.ts"

export type PackFormat = "json" | "markdown"

export interface Budget {
  readonly maxResponseBytes: number
  readonly tokenBudget: number
}

/** Drafts here are cut: they hold what is shown and no more. */
export interface PackForm {
  /** Writes what may be long in a draft, giving way now and then; what is cut from it is then measured in no time. */
  readonly preparing?: (draft: PackDraft) => Iterable<void>
  readonly parts: (cut: PackDraft) => ReadonlyArray<Part>
  /**
   * Length of the answer, which may say how many tokens it has; where that differs between answers to the same request, the
   * longest that it may have (docs/contract.md §3.2, "determinism").
   */
  readonly bytes: (cut: PackDraft, tokens: number) => number
  /** Estimate of the answer, never below its o200k_base count, and as `bytes` the most that it may be. */
  readonly tokens: (cut: PackDraft) => number
  readonly written: (cut: PackDraft) => WrittenPack
}

/** A pack but for the moment of its answer: texts and numbers, and nothing of the draft that it was written of. */
export interface WrittenPack {
  /** UTF-16 units of its texts. */
  readonly units: number
  /** As its form measured it. */
  readonly bytes: number
  readonly tokens: number
  readonly at: (moment: Moment) => Answer
}

/** What differs between two answers to one request about the same data. */
export interface Moment {
  readonly requestId: string
  readonly generatedAt: string
  /** When the database was read. */
  readonly databaseAt: string
  readonly usedMillis: number
}

/** The answer of a cut at its own moment. */
export const answerOf = (form: PackForm, cut: PackDraft): Answer =>
  form.written(cut).at({
    requestId: cut.requestId,
    generatedAt: cut.generatedAt,
    databaseAt: cut.coverage.asOf.database,
    usedMillis: cut.timeMs.used
  })

/**
 * A time counts as this long while it is shorter, so that whatever the moment is, as much fits: an answer that took longer is
 * another one.
 */
export const USED_MILLIS_MOST = 9_999

export interface Answer {
  readonly text: string
  readonly contentType: string
  /** Of the JSON pack of this content (docs/contract.md §3.2, "determinism"). */
  readonly packHash: string
}
