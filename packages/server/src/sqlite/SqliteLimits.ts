// Bounds of a search in the embedded index.

/** Texts read between two checks of the deadline. */
export const SEARCH_TEXTS_AT_ONCE = 512
/** A client with so many texts at most has all of them read: no index is faster. */
export const SEARCH_TEXTS_SCANNED_MAX = 1_000
/** Matching texts that are read all. Where more match, the appeals that promise most are read. */
export const SEARCH_TEXTS_PLAIN_MAX = 400
/** Such appeals that are compared by what their rows hold; of the best of them texts are read, so many of one. */
export const SEARCH_APPEALS_COMPARED_MAX = 512
export const SEARCH_APPEALS_READ_MAX = 256
export const SEARCH_TEXTS_OF_APPEAL_MAX = 16
/** Newest texts of one word, and of one family, that are listed for it. */
export const SEARCH_ROWS_MAX = 2_000
/** Words of a query that are listed, the rarest: each takes two of the 31 bits of a mark. */
export const SEARCH_WORDS_LISTED_MAX = 15
/** Of longer lists the rarest words, in pairs: texts with both, and how many times as far back as a list they are looked for. */
export const SEARCH_PAIRED_WORDS_MAX = 3
export const SEARCH_PAIR_TEXTS_MAX = 500
export const SEARCH_PAIR_SPANS_MAX = 8
/**
 * Texts of two words, at most, behind whose lists a pair is looked for although the lists share none: FTS5 goes through all of
 * them to see that there is none.
 */
export const SEARCH_APART_TEXTS_MAX = 20_000
/** Texts of one word that are counted at most. */
export const SEARCH_TEXTS_COUNTED_MAX = 5_000
/** The best appeals, this many at most, are ranked again by all their texts. */
export const SEARCH_APPEALS_WHOLE_MAX = 32
/** Texts that are read for it at most. */
export const SEARCH_TEXTS_WHOLE_MAX = 2_000
/** Threads that search beside the one that writes: with it one for each core, and no more than so many. */
export const READER_THREADS_MAX = 7
/** How long a thread without a search stays, how long one has to start, and the pause after one that did not. */
export const READER_IDLE_MILLIS = 30_000
export const READER_START_MILLIS_MAX = 10_000
export const READER_PAUSE_MILLIS = 10_000
/** Searches by words in wide scopes that wait, of one instance, at most, and how long: no answer may take longer. */
export const WIDE_SEARCHES_WAITING_MAX = 256
export const WIDE_SEARCH_WAIT_MILLIS_MAX = 5_000
