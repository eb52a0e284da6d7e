// The exact o200k_base count, for tests of the estimate.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"

/** Names of special tokens count as text. */
export const exactTokensOf = (text: string): number => countTokens(text, { disallowedSpecial: new Set() })
