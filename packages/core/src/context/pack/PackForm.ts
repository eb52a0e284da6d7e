// What a form of a pack, JSON or Markdown, has to know for a budget: the parts it is made of, its size, its text.
import type { PackDraft, MeasuredPart } from "./PackDraft.ts"

export type PackFormat = "json" | "markdown"

export interface Budget {
  readonly maxResponseBytes: number
  readonly tokenBudget: number
}

/** Drafts here are cut: they contain only what is shown. */
export interface PackForm {
  /** Writes what may be long in a draft, giving way now and then; what is cut from it is then measured in no time. */
  readonly preparing?: (draft: PackDraft) => Iterable<void>
  readonly parts: (cut: PackDraft) => ReadonlyArray<MeasuredPart>
  /**
   * Length of the answer, which may say how many tokens it has; where that differs between answers to the same request, the
   * longest that it may have (contract §3.2, "determinism").
   */
  readonly bytes: (cut: PackDraft, tokens: number) => number
  /** Estimate of the answer, never below its o200k_base count, and as `bytes` the most that it may be. */
  readonly tokens: (cut: PackDraft) => number
  readonly written: (cut: PackDraft) => MeasuredAnswer
}

/** A shorter time counts as this long in the budget, so that as much fits however long a read took. */
export const USED_MILLIS_MOST = 9_999

export interface PackAnswer {
  readonly text: string
  readonly contentType: string
  /** Of the JSON pack of this content (contract §3.2, "determinism"). */
  readonly packHash: string
}

/** An answer with its size, as its form measured it. */
export interface MeasuredAnswer extends PackAnswer {
  readonly bytes: number
  readonly tokens: number
}

/** The answer of a request that knows the pack. */
export const unchangedAnswer = (format: PackFormat, packHash: string): PackAnswer =>
  format === "markdown"
    ? { text: `unchanged ${packHash}\n`, contentType: markdownType, packHash }
    : { text: JSON.stringify({ unchanged: true, packHash }), contentType: jsonType, packHash }

export const jsonType = "application/json"
export const markdownType = "text/markdown; charset=utf-8"
