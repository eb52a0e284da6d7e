// Bounds of how a pack is gathered, cut and counted. What a caller can meet is in contract/src/Limits.ts.

/** Bytes of an action payload. A larger one is the first thing that is trimmed from a pack. */
export const PAYLOAD_KEPT_BYTES_MAX = 4_096
/** Every list of evidence is cut down to this many entries before any list is cut further. */
export const EVIDENCE_KEPT_LAST = 3
/** The list of actions is cut down to this many before any list is cut further. */
export const ACTIONS_KEPT_LAST = 5
/** Searches of one read at most, while PostgreSQL hides too many of the candidates. */
export const CANDIDATE_ROUNDS_MAX = 6
/** Each of them asks for this many times as many candidates as the one before. */
export const CANDIDATE_ROUND_FACTOR = 4
/** Code points that are read of a message of an appeal to cut its snippet from. */
export const SNIPPET_SOURCE_POINTS_MAX = 4_096
/** Texts whose token count a process caches. */
export const TOKEN_TEXTS_KEPT_MAX = 20_000
/** The longest of them, in UTF-16 units. */
export const TOKEN_TEXT_UNITS_MAX = 2_048
/** Pieces of text whose token count a process caches. */
export const TOKEN_PIECES_KEPT_MAX = 100_000
/** The longest of them, in UTF-16 units. */
export const TOKEN_PIECE_UNITS_MAX = 64
