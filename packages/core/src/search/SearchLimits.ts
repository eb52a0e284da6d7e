// Bounds of search that hold for every engine. What a caller can meet is in contract/src/Limits.ts.

/** Code points that a snippet is aimed at; it is never longer than SNIPPET_POINTS_MAX. */
export const SNIPPET_POINTS_AIM = 300
/** Longer words, in UTF-16 units, are indexed by their beginning. */
export const STEM_UNITS_MAX = 64
