// The interface of the two forms of a pack, JSON and Markdown: parts, size and text.
import type { PackDraft, MeasuredPart } from "./PackDraft.ts"

export type PackFormat = "json" | "markdown"

export interface Budget {
  readonly maxResponseBytes: number
  readonly tokenBudget: number
}

/** Its drafts are cut: they contain only the shown parts. */
export interface PackForm {
  /** Writes the long values of a draft and yields between them, so that cuts are measured fast. */
  readonly preparing?: (draft: PackDraft) => Iterable<void>
  readonly parts: (cut: PackDraft) => ReadonlyArray<MeasuredPart>
  /**
   * Bytes of the answer, which may contain its token count. Members that differ between answers to equal requests count as
   * their maximum (contract §3.2, "determinism").
   */
  readonly bytes: (cut: PackDraft, tokens: number) => number
  /** Estimate of the tokens, never below the o200k_base count, with the same maximum. */
  readonly tokens: (cut: PackDraft) => number
  readonly written: (cut: PackDraft) => MeasuredAnswer
}

/** A shorter read counts as this long, so that its duration does not change what fits. */
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

/** The answer to a request that has the hash of the present pack. */
export const unchangedAnswer = (format: PackFormat, packHash: string): PackAnswer =>
  format === "markdown"
    ? { text: `unchanged ${packHash}\n`, contentType: markdownType, packHash }
    : { text: JSON.stringify({ unchanged: true, packHash }), contentType: jsonType, packHash }

export const jsonType = "application/json"
export const markdownType = "text/markdown; charset=utf-8"
