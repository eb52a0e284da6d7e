// Bounds of how a pack is gathered, cut and counted. What a caller can meet is in contract/src/Limits.ts.

/** Bytes of an action payload. A larger one is the first thing that is trimmed from a pack. */
export const PAYLOAD_KEPT_BYTES_MAX = 4_096
/** The longest of them, in UTF-16 units. */
export const TOKEN_PIECE_UNITS_MAX = 64
