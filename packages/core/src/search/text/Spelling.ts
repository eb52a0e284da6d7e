// Spellings that differ from a mistyped word by one edit, the likelier first. All words are folded.

const LATIN = "abcdefghijklmnopqrstuvwxyz"
const CYRILLIC = "абвгдежзийклмнопрстуфхцчшщьюяіїєыэ"
// Letters that people confuse because they sound alike.
const ALIKE = [
  "аоa",
  "еиієэ",
  "иіыїй",
  "гх",
  "дт",
  "бп",
  "зс",
  "вф",
  "кг",
  "шщ",
  "aeo",
  "iey",
  "sc",
  "ck",
  "uo"
]

/** One edit exchanges two adjacent letters, or removes, replaces or inserts a letter of the alphabet that most letters are of. */
export const oneEdit = (word: string): ReadonlyArray<string> => {
  const latin = word.replace(/[^a-z]/gu, "").length
  const letters = latin > word.length / 2 ? LATIN : CYRILLIC
  const likely: Array<string> = []
  const other: Array<string> = []
  for (let at = 0; at <= word.length; at++) {
    // The first letter is rarely wrong.
    const edits = at === 0 ? other : likely
    const [before, own, after] = [word.slice(0, at), word[at] ?? "", word.slice(at + 1)]
    const next = word[at + 1]
    if (next !== undefined && next !== own) edits.push(before + next + own + word.slice(at + 2))
    if (own !== "") edits.push(before + after)
    for (const letter of letters) {
      if (own !== "" && letter !== own) {
        const alike = at > 0 && ALIKE.some((list) => list.includes(own) && list.includes(letter))
        ;(alike ? likely : other).push(before + letter + after)
      }
      if (letter !== own) other.push(before + letter + own + after)
    }
  }
  return [...new Set([...likely, ...other])]
}

/**
 * Whether `typed`, one edit from `meant`, omits a letter, doubles one or exchanges two adjacent letters. Other edits of a word lead
 * to thirty times as many words, so each of them is less likely.
 */
export const isFrequentTypo = (typed: string, meant: string): boolean => {
  if (meant.length > typed.length) return true
  let at = 0
  while (at < meant.length && typed[at] === meant[at]) at++
  if (meant.length < typed.length) return typed[at] === typed[at - 1]
  return typed[at] === meant[at + 1] && typed[at + 1] === meant[at]
}

/** The words with one letter between the places `from` and `to` replaced by a letter that sounds alike, doubled, or undoubled. */
export const phoneticSpellings = (word: string, from: number, to: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = Math.max(1, from); at < Math.min(to, word.length); at++) {
    const [before, own, after] = [word.slice(0, at), word[at] ?? "", word.slice(at + 1)]
    for (const letter of HEARD[own] ?? "") found.push(before + letter + after)
    found.push(own === word[at - 1] ? before + after : before + own + own + after)
  }
  return found
}

/** The words with one letter between the places `from` and `to` removed, or exchanged with the next. */
export const withoutTypos = (word: string, from: number, to: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = Math.max(1, from); at < Math.min(to, word.length); at++) {
    const [before, own, next] = [word.slice(0, at), word[at] ?? "", word[at + 1]]
    found.push(before + word.slice(at + 1))
    if (next !== undefined && next !== own) found.push(before + next + own + word.slice(at + 2))
  }
  return found
}

// As ALIKE, but only the most similar Cyrillic letters.
const HEARD: Readonly<Record<string, string>> = {
  а: "о",
  о: "а",
  е: "иєяэ",
  и: "еії",
  і: "иї",
  ї: "иі",
  є: "е",
  э: "е",
  я: "еи",
  ы: "и",
  д: "т",
  т: "д",
  б: "п",
  п: "б",
  з: "с",
  с: "з",
  в: "ф",
  ф: "в",
  к: "г",
  г: "к",
  ж: "ш",
  ш: "жщ",
  щ: "ш"
}

/** Possible spellings in the other Slavic language, which has і instead of о or е, or the reverse. */
export const cognates = (word: string): ReadonlyArray<string> =>
  Array.from(word).flatMap((letter, at) =>
    at === 0 ? [] : (COGNATE[letter] ?? []).map((other) => word.slice(0, at) + other + word.slice(at + 1))
  )

const COGNATE: Readonly<Record<string, ReadonlyArray<string>>> = { о: ["і"], е: ["і"], і: ["о", "е"] }
