// Corrections of a mistyped word: words at a distance of one edit, and of two if its letters can form no word.
import { impossibleAt, impossibleIn, isKnown, isPossible } from "./KnownWords.ts"
import { cognates, phoneticSpellings, isFrequentTypo, oneEdit, withoutTypos } from "./Spelling.ts"
import { isContentWord } from "./StopWords.ts"
import { stemOf } from "./Words.ts"

export interface Correction {
  readonly readAs: string
  readonly stem: string
  /** It has a distance of two edits: it counts only if no nearer correction occurs. */
  readonly far: boolean
}

const LETTERS_MIN = 4
/** A shorter word is corrected only to a known word with one letter more. */
const FREELY_LETTERS_MIN = 5
const LETTERS_MAX = 20
/** The fewest letters in the stem of a correction. A shorter stem belongs to too many words. */
const STEM_LETTERS_MIN = 4
/** Letters of a word that is corrected with two edits. All such corrections of a word of 20 letters take 15 ms. */
const TWICE_LETTERS_MIN = 5
const TWICE_LETTERS_MAX = 14
/** The most stems of corrections with two edits, by the kind of the second edit. */
const PHONETIC_STEMS_MAX = 400
const TYPO_STEMS_MAX = 150
/** The most groups of three letters that the first edit (an exchange of two letters) and the second edit change. */
const EDITED_TRIPLES_MAX = 4
const OTHER_TRIPLES_MAX = 3
const BOTH_TRIPLES_MAX = EDITED_TRIPLES_MAX + OTHER_TRIPLES_MAX

/** Whether a folded word has only letters and is a content word. */
export const isCorrectable = (folded: string): boolean =>
  folded.length >= LETTERS_MIN &&
  folded.length <= LETTERS_MAX &&
  isContentWord(folded) &&
  // A single letter of the other alphabet may be a typing error.
  /^(?:[a-z]+[а-яіїєґ]?[a-z]*|[а-яіїєґ]+[a-z]?[а-яіїєґ]*)$/u.test(folded)

/** Corrections of a folded word that occurs nowhere. There is one for each stem, the likeliest first. */
export const correctionsOf = (own: string): ReadonlyArray<Correction> => {
  const meant = editsOf(own)
  // A mistyped question word is not corrected to another word, unless it is a frequent typo of a known word.
  const asking = meant.filter((readAs) => !isContentWord(readAs))
  if (asking.length > 0) {
    const typos = asking.some((readAs) => isFrequentTypo(own, readAs))
      ? []
      : meant.filter((readAs) => isContentWord(readAs) && isKnown(readAs) && isFrequentTypo(own, readAs))
    return [...asking, ...typos].map((readAs) => ({ readAs, stem: stemOf(readAs), far: false }))
  }
  const stemLettersMin = /^[a-z]/u.test(own) ? STEM_LETTERS_MIN : STEM_LETTERS_MIN - 1
  // If two edits cannot make the word possible, it is not treated as a name.
  const counted = impossibleIn(own, BOTH_TRIPLES_MAX)
  const impossible = counted > BOTH_TRIPLES_MAX ? 0 : counted
  const near = formsOf(
    meant.filter((readAs) => {
      const left = impossibleIn(readAs, impossible)
      // Names have sequences of letters that other words do not have. A correction must have fewer of them.
      return left === 0 || left < impossible || isKnown(readAs)
    }),
    stemLettersMin
  )
  const typosFirst = [true, false].flatMap((isTypo) =>
    meant.filter((readAs) => isFrequentTypo(own, readAs) === isTypo)
  )
  const far = new Map([
    ...formsOf(twiceEdited(own, meant, phoneticSpellings), STEM_LETTERS_MIN, PHONETIC_STEMS_MAX),
    ...formsOf(twiceEdited(own, typosFirst, withoutTypos), STEM_LETTERS_MIN, TYPO_STEMS_MAX)
  ])
  return [
    ...[...near].map(([stem, readAs]) => ({ readAs, stem, far: false })),
    ...[...far].filter(([stem]) => !near.has(stem)).map(([stem, readAs]) => ({ readAs, stem, far: true }))
  ]
}

// The first letter is rarely wrong, and a known word is not corrected to another word of its language.
const editsOf = (own: string): ReadonlyArray<string> => {
  if (isKnown(own)) return own.length < FREELY_LETTERS_MIN ? [] : cognates(own)
  const edits = oneEdit(own).filter((readAs) => readAs[0] === own[0])
  return own.length < FREELY_LETTERS_MIN
    ? edits.filter((readAs) => readAs.length > own.length && isKnown(readAs))
    : edits
}

/** One word for each stem: a known word, else the likeliest. */
const formsOf = (
  words: Iterable<string>,
  stemLettersMin: number,
  stemsMax = Infinity
): ReadonlyMap<string, string> => {
  const forms = new Map<string, string>()
  for (const readAs of words) {
    const stem = stemOf(readAs)
    if (stem.length < stemLettersMin) continue
    const kept = forms.get(stem)
    if (kept === undefined || (!isKnown(kept) && isKnown(readAs))) forms.set(stem, readAs)
    if (forms.size >= stemsMax) break
  }
  return forms
}

/** Possible words that a second edit makes from the edited forms of an impossible word. */
function* twiceEdited(
  own: string,
  edited: ReadonlyArray<string>,
  changed: (word: string, from: number, to: number) => ReadonlyArray<string>
): Iterable<string> {
  if (own.length < TWICE_LETTERS_MIN || own.length > TWICE_LETTERS_MAX || isKnown(own) || isPossible(own))
    return
  // Words that two edits cannot make possible are skipped, because the search would be long and find nothing.
  if (impossibleIn(own, BOTH_TRIPLES_MAX) > BOTH_TRIPLES_MAX) return
  for (const one of edited) {
    if (impossibleIn(one, OTHER_TRIPLES_MAX) > OTHER_TRIPLES_MAX) continue
    const at = impossibleAt(one)
    // The second edit is at the impossible sequence, or anywhere if there is none.
    const [from, to] = at === undefined ? [1, one.length] : [at - 1, at + 2]
    for (const readAs of changed(one, from, to)) if (isPossible(readAs)) yield readAs
  }
}
