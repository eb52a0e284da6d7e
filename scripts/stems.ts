// Prints the stems of words, one a line as they come: `node scripts/stems.ts < WORDS`. `pnpm eval` asks it, for the service
// has no route that tells a stem.
import { text } from "node:stream/consumers"
import { stem } from "../packages/core/src/search/text/Words.ts"

const words = (await text(process.stdin)).split("\n")
process.stdout.write(words.map((word) => stem(word)).join("\n"))
