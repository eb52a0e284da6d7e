// A part of a pack as it is measured.
import type { ContextSection } from "@rapport/contract/context/ContextRequest.ts"

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
