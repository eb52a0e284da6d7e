// The normal form in which login names are compared.
import { foldedText } from "../lists/FoldedText.ts"

/**
 * Trimmed and folded like PostgreSQL's `fold_text`, so that two spellings of one user's login count as one (contract §10).
 */
export const loginKeyOf = (login: string): string => foldedText(login.trim())
