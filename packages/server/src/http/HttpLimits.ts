// Bounds of the HTTP listener. What a caller can meet is in contract/src/Limits.ts.

export const CONTENDED_MILLIS = 1_000
