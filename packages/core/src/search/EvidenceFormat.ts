// The version of the content of an evidence index, one number for both engines.

/**
 * Rises with every change of what an index has baked in: words and their stems, passages, tables and mappings, weights of the
 * similarity. An index of another format is replaced by one of this format. EvidenceFormat.test.ts of the server holds what this
 * number means, and that an index of the previous format answers until then if its tables and fields are the same.
 */
export const EVIDENCE_FORMAT = 11

/**
 * Older formats, the newest first, whose indexes this version can search and write: their words were prepared otherwise, their
 * tables and fields hold all that a search reads. Such an index answers and is written until its successor is built;
 * a word whose stem has changed may be missed until then. An index of any other format is not searched.
 */
export const SQLITE_FORMATS_READABLE: ReadonlyArray<number> = [10, 9, 8, 7]
export const OPENSEARCH_FORMATS_READABLE: ReadonlyArray<number> = [10, 9, 8, 7, 6]
