// JSON that may be sent back as it is: an integer literal beyond ±(2^53−1) is refused (docs/contract.md §1, "Strictness"), though a
// double may be a whole number beyond it.

declare global {
  interface JSON {
    /** A value that `stringify` writes as this text; of ES2026, and not in TypeScript's library yet. */
    rawJSON(text: string): object
  }
}

/** From here on `stringify` writes exponents by itself. */
const EXPONENTS = 1e21

/** A number as it is written: with an exponent where it would be such a literal. Anything else as it is. */
export const sentBack = (value: unknown): unknown =>
  typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < EXPONENTS
    ? JSON.rawJSON(value.toExponential())
    : value

export const sentBackJson = (value: unknown): string => JSON.stringify(value, (_, member) => sentBack(member))
