// Limits of the HTTP listener that no caller can observe; contract/src/Limits.ts has the others.

export const CONTENDED_MILLIS = 1_000
