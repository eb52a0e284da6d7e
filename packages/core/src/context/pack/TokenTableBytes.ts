// The table that this process counts with. A bundle reads it from a file instead (scripts/bundle.ts).
import ranks from "gpt-tokenizer/bpeRanks/o200k_base"
import { makeTokenTable } from "./TokenTable.ts"

export const tokenTableBytes: Uint8Array<ArrayBuffer> = makeTokenTable(ranks)
