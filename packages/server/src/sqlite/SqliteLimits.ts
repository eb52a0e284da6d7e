// Bounds of a search in the embedded index.

/** Texts read between two checks of the deadline. */
export const SEARCH_TEXTS_AT_ONCE = 512
/** Matching texts that are read all. Where more match, the appeals that promise most are read. */
export const SEARCH_TEXTS_PLAIN_MAX = 400
/** Such appeals that are compared by what their rows hold; of the best of them texts are read, so many of one. */
export const SEARCH_APPEALS_COMPARED_MAX = 512
export const SEARCH_APPEALS_READ_MAX = 256
/** Newest texts of one word, and of one family, that are listed for it. */
export const SEARCH_ROWS_MAX = 2_000
/** How long a thread without a search stays, how long one has to start, and the pause after one that did not. */
export const READER_IDLE_MILLIS = 30_000
export const READER_PAUSE_MILLIS = 10_000
