// The interface of the two forms of a pack, JSON and Markdown: parts, size and text.
import type { PackDraft, MeasuredPart } from "./PackDraft.ts"

export type PackFormat = "json" | "markdown"

export interface Budget {
  readonly maxResponseBytes: number
  readonly tokenBudget: number
}

/** Its drafts are cut: they contain only the shown parts. */
export interface PackForm {
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

/** Bytes of parts that are counted in one step. */
const SLICE_BYTES = 16 * 1_024

/** The tokens of a cut, counted part by part. Yields after long parts, so that other requests run. */
export function* countTokens(form: PackForm, cut: PackDraft): Generator<void, number> {
  let bytes = 0
  for (const part of form.parts(cut)) {
    part.tokens()
    bytes += part.bytes
    if (bytes < SLICE_BYTES) continue
    bytes = 0
    yield
  }
  return form.tokens(cut)
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
