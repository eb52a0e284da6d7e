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
/** A shorter word has lost a letter, and is a word that people write. */
const FREELY_LETTERS_MIN = 5
const LETTERS_MAX = 20
/** Letters of the stem of a correction, at least: short ones are stems of too much. */
const STEM_LETTERS_MIN = 4
/** Letters of a word that is changed twice: of one of 20 letters all that it may be takes 15 ms. */
const TWICE_LETTERS_MIN = 5
const TWICE_LETTERS_MAX = 14
/** Stems that it may have where one letter was written by ear, and where one was added or exchanged with the next, at most. */
const HEARD_STEMS_MAX = 400
const UNDONE_STEMS_MAX = 150
/** Of three letters in a row so many change with one edit (two adjacent letters that change places), and with the other. */
const EDITED_TRIPLES_MAX = 4
const OTHER_TRIPLES_MAX = 3
const MENDED_TRIPLES_MAX = EDITED_TRIPLES_MAX + OTHER_TRIPLES_MAX

/** Of a folded word: it is of letters, and says something. */
export const isCorrectable = (folded: string): boolean =>
  folded.length >= LETTERS_MIN &&
  folded.length <= LETTERS_MAX &&
  isContentWord(folded) &&
  // One letter of the other alphabet is the mistyped one.
  /^(?:[a-z]+[а-яіїєґ]?[a-z]*|[а-яіїєґ]+[a-z]?[а-яіїєґ]*)$/u.test(folded)

/** Of a folded word that occurs nowhere; of each stem one, the likelier words first. */
export const correctionsOf = (own: string): ReadonlyArray<Correction> => {
  const meant = editsOf(own)
  // A mistyped question word is not corrected to another word, unless a slip turns a known word into it.
  const asking = meant.filter((readAs) => !isContentWord(readAs))
  if (asking.length > 0) {
    const slips = asking.some((readAs) => isFrequentTypo(own, readAs))
      ? []
      : meant.filter((readAs) => isContentWord(readAs) && isKnown(readAs) && isFrequentTypo(own, readAs))
    return [...asking, ...slips].map((readAs) => ({ readAs, stem: stemOf(readAs), far: false }))
  }
  const stemLettersMin = /^[a-z]/u.test(own) ? STEM_LETTERS_MIN : STEM_LETTERS_MIN - 1
  // What no two changes can mend is no name either.
  const counted = impossibleIn(own, MENDED_TRIPLES_MAX)
  const impossible = counted > MENDED_TRIPLES_MAX ? 0 : counted
  const near = formsOf(
    meant.filter((readAs) => {
      const left = impossibleIn(readAs, impossible)
      // Names have letters in a row that no other word has; a correction leaves fewer of them.
      return left === 0 || left < impossible || isKnown(readAs)
    }),
    stemLettersMin
  )
  const slipsFirst = [true, false].flatMap((slip) =>
    meant.filter((readAs) => isFrequentTypo(own, readAs) === slip)
  )
  const far = new Map([
    ...formsOf(mendedIn(own, meant, phoneticSpellings), STEM_LETTERS_MIN, HEARD_STEMS_MAX),
    ...formsOf(mendedIn(own, slipsFirst, withoutTypos), STEM_LETTERS_MIN, UNDONE_STEMS_MAX)
  ])
  return [
    ...[...near].map(([stem, readAs]) => ({ readAs, stem, far: false })),
    ...[...far].filter(([stem]) => !near.has(stem)).map(([stem, readAs]) => ({ readAs, stem, far: true }))
  ]
}

// The first letter is hardly ever the wrong one; a word that people write is no other word of their language.
const editsOf = (own: string): ReadonlyArray<string> => {
  if (isKnown(own)) return own.length < FREELY_LETTERS_MIN ? [] : cognates(own)
  const edits = oneEdit(own).filter((readAs) => readAs[0] === own[0])
  return own.length < FREELY_LETTERS_MIN
    ? edits.filter((readAs) => readAs.length > own.length && isKnown(readAs))
    : edits
}

/** Of the forms of one word one is enough: that which people write, else the likeliest. */
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

/** Of what can be no word: what can be one where an edited form is changed once more, in one of the ways. */
function* mendedIn(
  own: string,
  edited: ReadonlyArray<string>,
  changed: (word: string, from: number, to: number) => ReadonlyArray<string>
): Iterable<string> {
  if (own.length < TWICE_LETTERS_MIN || own.length > TWICE_LETTERS_MAX || isKnown(own) || isPossible(own))
    return
  // What neither can mend is not tried: it would cost most where nothing is found.
  if (impossibleIn(own, MENDED_TRIPLES_MAX) > MENDED_TRIPLES_MAX) return
  for (const one of edited) {
    if (impossibleIn(one, OTHER_TRIPLES_MAX) > OTHER_TRIPLES_MAX) continue
    const at = impossibleAt(one)
    // It mends what is impossible, or may stand anywhere.
    const [from, to] = at === undefined ? [1, one.length] : [at - 1, at + 2]
    for (const readAs of changed(one, from, to)) if (isPossible(readAs)) yield readAs
  }
}
