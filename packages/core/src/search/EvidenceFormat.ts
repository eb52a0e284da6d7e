// What an evidence index holds, as one number for both engines.

/**
 * Rises with every change of what an index has baked in: words and their stems, passages, tables and mappings, weights of the
 * similarity. An index of another format is not used; one of this format is built. EvidenceFormat.test.ts of the server holds
 * what this number means.
 */
export const EVIDENCE_FORMAT = 8

/** Formats whose SQLite files hold the same as those of EVIDENCE_FORMAT: they stay active and are not rebuilt. */
export const SQLITE_FORMATS_USED: ReadonlyArray<number> = [EVIDENCE_FORMAT]
