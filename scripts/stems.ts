// Prints the stem of each word, one per line: `node scripts/stems.ts < WORDS`. `pnpm eval` uses it, because no route returns stems.
import { text } from "node:stream/consumers"
import { stem } from "../packages/core/src/search/text/Words.ts"

const words = (await text(process.stdin)).split("\n")
process.stdout.write(words.map((word) => stem(word)).join("\n"))
