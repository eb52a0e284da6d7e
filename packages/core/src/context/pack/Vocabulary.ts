// The vocabulary of o200k_base. A bundle has the table that is made of it as a file instead (scripts/bundle.ts).
import ranks from "gpt-tokenizer/bpeRanks/o200k_base"

export const vocabulary: typeof ranks | Uint8Array<ArrayBuffer> = ranks
