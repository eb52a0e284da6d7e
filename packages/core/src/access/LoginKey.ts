// How login names are compared: without regard to case, by one rule for the lookup, the limits and uniqueness.

/**
 * The name in lower case, letter by letter: each letter becomes one letter, as PostgreSQL's `lower` does it, so that two
 * spellings that lead to one user are never counted as two names (docs/contract.md §10).
 */
export const loginKeyOf = (login: string): string =>
  Array.from(login, (letter) => Array.from(letter.toLowerCase())[0] ?? letter).join("")
