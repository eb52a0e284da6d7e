// Bounds of a search in the embedded index.

/** Texts read between two checks of the deadline. */
export const SEARCH_TEXTS_AT_ONCE = 512
/** Matching texts that are ranked all together. Above it the rarest words are read first, up to as many texts. */
export const SEARCH_TEXTS_PLAIN_MAX = 2_000
/** Matching texts that are ranked at most, with those that hold two of the common words. */
export const SEARCH_TEXTS_MAX = 3_000
/** Texts of one word that are counted at most. */
export const SEARCH_TEXTS_COUNTED_MAX = 5_000
/** The best appeals, this many at most, are ranked again by all their texts. */
export const SEARCH_APPEALS_WHOLE_MAX = 32
/** Texts that are read for it at most. */
export const SEARCH_TEXTS_WHOLE_MAX = 2_000
/** Searches by words in wide scopes that run beside each other, of different instances. */
export const WIDE_SEARCHES_AT_ONCE = 2
/** Those of one instance that wait at most, and how long: no answer may take longer. */
export const WIDE_SEARCHES_WAITING_MAX = 256
export const WIDE_SEARCH_WAIT_MILLIS_MAX = 5_000
