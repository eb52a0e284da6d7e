// How login names are compared: one rule for the lookup, the limits and uniqueness.
import { foldedText } from "../lists/FoldedText.ts"

/**
 * Without white space around it, and folded as PostgreSQL's `fold_text` does it: two spellings that lead to one user are
 * never counted as two names (contract §10).
 */
export const loginKeyOf = (login: string): string => foldedText(login.trim())
