// Bounds of search that hold for every engine. What a caller can meet is in contract/src/Limits.ts.

/** Code points that a snippet is aimed at; it is never longer than SNIPPET_POINTS_MAX. */
export const SNIPPET_POINTS_AIM = 300
/** Longer words, in UTF-16 units, are indexed by their beginning. */
export const STEM_UNITS_MAX = 64
/** Forms of words that a thread remembers. */
export const STEMS_KEPT_MAX = 100_000
/** Entries of client memory that a search is told to leave out at most. */
export const MEMORY_HIDDEN_MAX = 10_000
/** Entries asked of the index of client memory at most. */
export const MEMORY_CANDIDATES_MAX = 800
/** How many times as many entries are asked for when hidden ones were dropped. */
export const MEMORY_WIDENING = 4
