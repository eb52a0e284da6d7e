// What a form of a pack, JSON or Markdown, has to know for a budget: the parts it is made of, its size, its text.
import type { ContextSection } from "@rapport/contract/context/ContextRequest.ts"
import type { PackDraft } from "./PackDraft.ts"

export interface Budget {
  readonly maxResponseBytes: number
  readonly tokenBudget: number
}

/** A piece of the answer that is measured once, however often it is asked for. */
export interface Part {
  /** Null: of the pack as a whole. */
  readonly section: ContextSection | null
  /** Of a namespace. */
  readonly namespace: string | null
  readonly bytes: number
  readonly tokens: () => number
  /** Counts the tokens, giving way now and then. */
  readonly counting: () => Iterable<void>
}

/** Drafts here are cut: they hold what is shown and no more. */
export interface PackForm {
  readonly parts: (cut: PackDraft) => ReadonlyArray<Part>
  /** Exact length of the answer, which may say how many tokens it has. */
  readonly bytes: (cut: PackDraft, tokens: number) => number
  /** Estimate of the answer, never below its o200k_base count. */
  readonly tokens: (cut: PackDraft) => number
  readonly answer: (cut: PackDraft) => Answer
}

export interface Answer {
  readonly text: string
  readonly contentType: string
  /** Of the JSON pack of this content (docs/contract.md §3.2, "determinism"). */
  readonly packHash: string
}
