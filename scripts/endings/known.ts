// Writes which words are known, and which letters may follow each other: node known.ts FOLDER KNOWN.json
// From the frequencies that lexemes.py writes; packages/core/src/search/text/KnownWords.ts reads the result.
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { KNOWN_BITS, knownBits, tripleBits, TRIPLES } from "../../packages/core/src/search/text/KnownWords.ts"
import { fold } from "../../packages/core/src/search/text/Words.ts"

/** Per million words of its language, of a known word; and of one whose letters may follow each other. */
const KNOWN_MIN = 8
const POSSIBLE_MIN = 0.2
/** Words in which three letters follow each other, at least. */
const WORDS_MIN = 3

const [folder = "", output = ""] = process.argv.slice(2)

const set = (bits: Uint8Array, bit: number): void => {
  bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7))
}
const known = new Uint8Array(KNOWN_BITS / 8)
const holding = new Uint32Array(TRIPLES)
const words = new Set<string>()
for (const language of ["uk", "ru", "en"]) {
  const frequencies = new Map<string, number>()
  for (const line of readFileSync(path.join(folder, `words-${language}.tsv`), "utf8").split("\n")) {
    const [word = "", frequency = ""] = line.split("\t")
    const folded = fold(word)
    frequencies.set(folded, (frequencies.get(folded) ?? 0) + Number(frequency))
  }
  for (const [word, frequency] of frequencies) {
    const bits = frequency < POSSIBLE_MIN ? undefined : tripleBits(word)
    if (bits === undefined) continue
    for (const bit of new Set(bits)) holding[bit] = (holding[bit] ?? 0) + 1
    if (frequency < KNOWN_MIN || words.has(word)) continue
    words.add(word)
    for (const bit of knownBits(word)) set(known, bit)
  }
}
const triples = new Uint8Array(Math.ceil(TRIPLES / 8))
for (const [bit, count] of holding.entries()) if (count >= WORDS_MIN) set(triples, bit)
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")
writeFileSync(output, `${JSON.stringify({ known: text(known), triples: text(triples) }, undefined, 2)}\n`)
const full = known.reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0) / KNOWN_BITS
console.log(`${words.size} words, ${(full * 100).toFixed(1)} % of the bits set`)
