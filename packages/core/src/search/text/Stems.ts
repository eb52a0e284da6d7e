// The stem of a word, which all its forms share. English uses Snowball and a list of irregular words (went, children), Ukrainian
// and Russian use one table of endings.
import { stemmer as snowball } from "@orama/stemmers/english"
import table from "./endings.json" with { type: "json" }
import irregular from "./irregular.json" with { type: "json" }

/**
 * Irregular English words by their stem, each with the forms that have another stem. Forms that are more often another word (born,
 * bit, lay, lives) are no forms. Apostrophes are left out (children's).
 */
const formsByStem = new Map(
  irregular.map((line) => {
    const [word = "", ...forms] = line.split(" ")
    return [snowball(word), [word, ...forms]] as const
  })
)
const stemsOfForms = new Map(
  [...formsByStem].flatMap(([stem, [, ...forms]]) => forms.map((form) => [form, stem] as const))
)

/** Of a folded word in Latin letters. */
export const englishStem = (folded: string): string => stemsOfForms.get(folded) ?? snowball(folded)

/** All forms of an irregular word, by its stem; none of a regular one. */
export const irregularForms = (stem: string): ReadonlyArray<string> => formsByStem.get(stem) ?? []

// A line of the table: how many letters to cut, what to add, and the endings for which that is done, each after one digit of
// base 36: how many of its last letters are those of the ending before it. The longest ending decides; one that begins with ^ is
// a whole word. endings.NOTICE.md names its sources.
// Built by every thread that starts: plain loops over the table take an eighth of what lists of endings took.
const readTable = () => {
  const cuts: Array<number> = []
  const additions: Array<string> = []
  const replaced = new Map<string, string>()
  const tree = growTree()
  for (const line of table) {
    const [cut = "", addition = "", list = ""] = line.split(" ")
    const operation = cuts.length
    cuts.push(Number(cut))
    additions.push(addition)
    // The nodes of the ending before, from the root to its first letter.
    const path = [ROOT]
    for (let at = 0; at < list.length;) {
      let depth = Number.parseInt(list[at] ?? "", 36)
      const begin = at + 1
      let end = begin
      while (end < list.length && !isDigit(list.charCodeAt(end))) end++
      for (let letter = end - 1; letter >= begin; letter--) {
        path[depth + 1] = tree.child(path[depth] ?? ROOT, list.charCodeAt(letter))
        depth++
      }
      const node = path[depth] ?? ROOT
      tree.operations[node] = operation
      if (tree.letters[node] === WHOLE && addition !== "" && Number(cut) === depth - 1)
        addReplaced(replaced, String.fromCharCode(tree.letters[path[depth - 1] ?? ROOT] ?? 0), addition)
      at = end
    }
  }
  return { cuts, additions, replaced, tree: flat(tree) }
}

const ROOT = 0
const WHOLE = "^".charCodeAt(0)

/** Of base 36. Neither a letter of an ending nor ^ is one. */
const isDigit = (unit: number): boolean => (unit >= 48 && unit <= 57) || (unit >= 97 && unit <= 122)

// The endings as a tree from the last letter on. A node: its letter, the operation of the ending that it completes (-1: none),
// the latest of its children (0: none), and the one that its parent had before it.
const growTree = () => {
  const letters = [0]
  const operations = [-1]
  const lastChildren = [0]
  const siblings = [0]
  return {
    letters,
    operations,
    lastChildren,
    siblings,
    /** Made where it is missing. */
    child: (node: number, letter: number): number => {
      const last = lastChildren[node] ?? 0
      for (let child = last; child !== 0; child = siblings[child] ?? 0)
        if (letters[child] === letter) return child
      siblings.push(last)
      lastChildren[node] = letters.length
      lastChildren.push(0)
      operations.push(-1)
      return letters.push(letter) - 1
    }
  }
}

// The same with the children of a node side by side, those of the next node behind them: of a node the place of the first is kept.
const flat = (tree: ReturnType<typeof growTree>) => {
  const count = tree.letters.length
  const letters = new Uint16Array(count)
  const operations = new Int16Array(count)
  const firstChildren = new Uint16Array(count + 1)
  const order = new Uint16Array(count)
  let placed = 1
  for (let at = 0; at < count; at++) {
    const node = order[at] ?? ROOT
    letters[at] = tree.letters[node] ?? 0
    operations[at] = tree.operations[node] ?? -1
    firstChildren[at] = placed
    for (let child = tree.lastChildren[node] ?? 0; child !== 0; child = tree.siblings[child] ?? 0)
      order[placed++] = child
  }
  firstChildren[count] = placed
  return { letters, operations, firstChildren }
}

const childOf = (node: number, letter: number): number => {
  const end = tree.firstChildren[node + 1] ?? 0
  for (let child = tree.firstChildren[node] ?? 0; child < end; child++)
    if (tree.letters[child] === letter) return child
  return -1
}

/** Words up to this long may lose every letter, so that their stems may begin with any letter. */
export const SHORT_UNITS_MAX = 3

const operationOf = (word: string): number => {
  let node = 0
  let operation = tree.operations[0] ?? -1
  for (let at = word.length - 1; at >= 0; at--) {
    node = childOf(node, word.charCodeAt(at))
    if (node === -1) return operation
    const found = tree.operations[node] ?? -1
    const cut = cuts[found] ?? Infinity
    if (cut < word.length || (cut === word.length && cut <= SHORT_UNITS_MAX)) operation = found
  }
  const whole = tree.operations[childOf(node, WHOLE)] ?? -1
  return whole === -1 ? operation : whole
}

/** Of a folded word in Cyrillic letters. The stem may begin otherwise than the word does: лет is a form of год. */
export const cyrillicStem = (folded: string): string => {
  const word = loosen(folded)
  const operation = operationOf(word)
  if (operation === -1) return unify(word)
  return unify(word.slice(0, word.length - (cuts[operation] ?? 0)) + (additions[operation] ?? ""))
}

// Letters that people type for each other are one to the table; a hard sign is nothing.
const LOOSE: Readonly<Record<string, string>> = { ґ: "г", й: "и", ї: "і", є: "е", ъ: "" }
const loosen = (folded: string): string => folded.replace(/[ґйїєъ]/gu, (letter) => LOOSE[letter] ?? letter)

// Soft signs go, and long stems are written alike in both languages. A digit distinguishes stems that only look alike.
const UNIFIED: Readonly<Record<string, string>> = { і: "и", ї: "и", є: "е", ы: "и", э: "е" }
const UNIFIED_UNITS_MIN = 5
const unify = (stem: string): string => {
  const bare = stem.replaceAll("ь", "")
  return bare.replace(/\d/gu, "").length < UNIFIED_UNITS_MIN
    ? bare
    : bare.replace(/[іїєыэ]/gu, (letter) => UNIFIED[letter] ?? letter)
}

/** A letter of a word as it would be in a long stem. */
export const letterInStem = (letter: string): string => {
  const loose = LOOSE[letter] ?? letter
  return UNIFIED[loose] ?? loose
}

/** First letters of the words above SHORT_UNITS_MAX whose stem may begin with `letter`: words that begin otherwise need not be stemmed. */
export const wordBeginnings = (letter: string): string =>
  `${ALIKE.get(letter) ?? letter}${replaced.get(letter) ?? ""}${LOST}`

// Letters that begin a stem as the same letter, by it; and those that are left out there.
const ALIKE = new Map([
  ["г", "гґ"],
  ["и", "ийіїы"],
  ["і", "ії"],
  ["е", "еєэ"]
])
const LOST = "ьъ"

// First letters of words that the table replaces whole, by the first letter of what it puts there.
const addReplaced = (replaced: Map<string, string>, first: string, addition: string): void => {
  const beginning = addition[0] ?? ""
  for (const to of new Set([beginning, UNIFIED[beginning] ?? beginning])) {
    const known = replaced.get(to) ?? ""
    if (!known.includes(first)) replaced.set(to, known + (ALIKE.get(first) ?? first))
  }
}

const { additions, cuts, replaced, tree } = readTable()
