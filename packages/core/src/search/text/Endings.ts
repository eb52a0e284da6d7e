// Stems of Ukrainian and Russian words, by one table of endings for both languages: forms of one word get one stem.
import table from "./endings.json" with { type: "json" }

// A line of the table: how many letters to cut, what to add, and the endings for which that is done, each after one digit of
// base 36: how many of its last letters are those of the ending before it. The longest ending decides; one that begins with ^ is
// a whole word. scripts/endings makes it, endings.NOTICE.md says from what.
const read = () => {
  const cuts: Array<number> = []
  const additions: Array<string> = []
  const endings: Array<readonly [reversed: string, operation: number]> = []
  for (const line of table) {
    const [cut = "", addition = "", list = ""] = line.split(" ")
    let reversed = ""
    for (const [, shared = "", letters = ""] of list.matchAll(/([\da-z])([^\da-z]*)/gu)) {
      reversed = reversed.slice(0, Number.parseInt(shared, 36)) + [...letters].toReversed().join("")
      endings.push([reversed, cuts.length])
    }
    cuts.push(Number(cut))
    additions.push(addition)
  }
  endings.sort(([a], [b]) => (a < b ? -1 : 1))
  return { cuts, additions, endings }
}

type Endings = ReturnType<typeof read>["endings"]

// The endings as a tree from the last letter on. A node: its letter, the operation of the ending that it completes (-1:
// none), its first child; the children of a node lie side by side, those of the next node behind them.
const treeOf = (endings: Endings) => {
  const letters: Array<number> = [0]
  const operations: Array<number> = [-1]
  const firstChildren: Array<number> = []
  let level: Array<readonly [from: number, to: number]> = [[0, endings.length]]
  for (let depth = 0; level.length > 0; depth++) {
    const next: typeof level = []
    for (const [from, to] of level) {
      firstChildren.push(letters.length)
      for (let at = from; at < to;) {
        const [reversed = "", operation = -1] = endings[at] ?? []
        if (reversed.length === depth) {
          at++
          continue
        }
        const letter = reversed.charCodeAt(depth)
        const first = at
        while (at < to && endings[at]?.[0].charCodeAt(depth) === letter) at++
        letters.push(letter)
        operations.push(reversed.length === depth + 1 ? operation : -1)
        next.push([first, at])
      }
    }
    level = next
  }
  firstChildren.push(letters.length)
  operations[0] = endings[0]?.[0] === "" ? endings[0][1] : -1
  return {
    letters: Uint16Array.from(letters),
    operations: Int16Array.from(operations),
    firstChildren: Uint16Array.from(firstChildren)
  }
}

const childOf = (node: number, letter: number): number => {
  const end = tree.firstChildren[node + 1] ?? 0
  for (let child = tree.firstChildren[node] ?? 0; child < end; child++)
    if (tree.letters[child] === letter) return child
  return -1
}

/** Words up to this long may lose every letter, so that their stems say nothing of how they begin. */
export const SHORT_UNITS_MAX = 3

const WHOLE = "^".charCodeAt(0)

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
  const word = loosened(folded)
  const operation = operationOf(word)
  if (operation === -1) return unified(word)
  return unified(word.slice(0, word.length - (cuts[operation] ?? 0)) + (additions[operation] ?? ""))
}

// Letters that people type for each other are one to the table; a hard sign is nothing.
const LOOSE: Readonly<Record<string, string>> = { ґ: "г", й: "и", ї: "і", є: "е", ъ: "" }
const loosened = (folded: string): string => folded.replace(/[ґйїєъ]/gu, (letter) => LOOSE[letter] ?? letter)

// Soft signs go, and long stems are written alike in both languages. A digit distinguishes stems that only look alike.
const UNIFIED: Readonly<Record<string, string>> = { і: "и", ї: "и", є: "е", ы: "и", э: "е" }
const UNIFIED_UNITS_MIN = 5
const unified = (stem: string): string => {
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
const replacedIn = ({ additions, cuts, endings }: ReturnType<typeof read>): ReadonlyMap<string, string> => {
  const replaced = new Map<string, string>()
  for (const [reversed, operation] of endings) {
    const addition = additions[operation]?.[0]
    if (addition === undefined || !reversed.endsWith("^") || cuts[operation] !== reversed.length - 1) continue
    const first = reversed.at(-2) ?? ""
    for (const to of new Set([addition, UNIFIED[addition] ?? addition])) {
      const known = replaced.get(to) ?? ""
      if (!known.includes(first)) replaced.set(to, known + (ALIKE.get(first) ?? first))
    }
  }
  return replaced
}

// Of the endings themselves nothing is kept.
const { additions, cuts, replaced, tree } = (() => {
  const table = read()
  return {
    additions: table.additions,
    cuts: table.cuts,
    replaced: replacedIn(table),
    tree: treeOf(table.endings)
  }
})()
