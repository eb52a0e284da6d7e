// The vocabulary of o200k_base. A bundle has its table as a file (scripts/bundle.ts).
import ranks from "gpt-tokenizer/bpeRanks/o200k_base"

export const vocabulary: typeof ranks | Uint8Array<ArrayBuffer> = ranks
