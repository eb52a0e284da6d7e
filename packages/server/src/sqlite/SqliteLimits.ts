// Tuning constants of the embedded index that several files read.

/** Texts read between two checks of the deadline. */
export const SEARCH_TEXTS_BATCH = 512
/** Up to this many matching texts are all read. If more match, only the best appeals by their rows are read. */
export const SEARCH_TEXTS_PLAIN_MAX = 400
/** The best appeals by their rows, of which texts are read. */
export const SEARCH_APPEALS_READ_MAX = 512
/** Newest texts that are listed for a word. */
export const SEARCH_ROWS_MAX = 2_000
