// Questions with the typing errors of people: another keyboard layout, look-alike letters, invisible characters, Latin letters, a
// wrong letter.

/** A way of typing; `times` questions are made of one. */
export interface Typing {
  readonly name: string
  readonly times: number
  readonly typed: (question: string, time: number) => string
}

const LATIN_KEYS = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
const CYRILLIC_KEYS: Readonly<Record<string, string>> = {
  uk: "йцукенгшщзхїфівапролджєячсмитьбю'",
  ru: "йцукенгшщзхъфывапролджэячсмитьбюё"
}
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  а: "a",
  е: "e",
  і: "i",
  о: "o",
  р: "p",
  с: "c",
  у: "y",
  х: "x"
}
const SOUNDS: Readonly<Record<string, string>> = Object.fromEntries(
  [..."абвгґдеєёжзиійїклмнопрстуфхцчшщъыьэюя"].map((letter, at) => [
    letter,
    "a b v h g d e ye e zh z y i y yi k l m n o p r s t u f kh ts ch sh shch  y  e yu ya".split(" ")[at] ?? ""
  ])
)
/** Letters before a hyphen, and of a word that is hyphenated, at least. */
const HYPHEN_AT = 3
const HYPHENATED_LETTERS_MIN = 6

const lettersBy =
  (letters: Readonly<Record<string, string>>) =>
  (text: string): string =>
    [...text].map((letter) => letters[letter] ?? letter).join("")

const once = (name: string, typed: (question: string) => string): Typing => ({ name, times: 1, typed })

/** The typings of a language, Ukrainian (`uk`) or Russian (`ru`); others have none. */
export const typingsOf = (language: string): ReadonlyArray<Typing> => {
  const keys = CYRILLIC_KEYS[language]
  if (keys === undefined) return []
  const inLatinKeys = Object.fromEntries([...keys].map((letter, at) => [letter, LATIN_KEYS[at] ?? letter]))
  const sounds = { ...SOUNDS, ...(language === "ru" ? { и: "i", г: "g" } : {}) }
  return [
    once("in the English layout", (text) => lettersBy(inLatinKeys)(text.toLowerCase())),
    once("with look-alikes", lettersBy(LOOK_ALIKES)),
    once("with soft hyphens", (text) =>
      text.replace(new RegExp(`\\p{L}{${HYPHENATED_LETTERS_MIN},}`, "gu"), (word) =>
        [word.slice(0, HYPHEN_AT), word.slice(HYPHEN_AT)].join("\u00AD")
      )
    ),
    once("in Latin letters", (text) => lettersBy(sounds)(text.toLowerCase())),
    { name: "with one typo", times: 4, typed: makeTypo }
  ]
}

const TYPO_LETTERS_MIN = 5
const TYPO_LETTERS = "аеиіоунтрсвлкмдпязй"

/** One letter left out, added, replaced or swapped in a word, never the first; the same every time. */
const makeTypo = (question: string, time: number): string => {
  let seed = time + 1
  for (let at = 0; at < question.length; at++) seed = Math.imul(seed ^ question.charCodeAt(at), 0x01000193)
  const below = (limit: number): number => {
    seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    return (seed >>> 8) % limit
  }
  const words = [...question.matchAll(new RegExp(`[\\p{L}]{${TYPO_LETTERS_MIN},}`, "gu"))]
  const word = words[below(Math.max(1, words.length))]
  if (word === undefined) return question
  const letters = [...word[0]]
  const at = 1 + below(letters.length - 2)
  const other = TYPO_LETTERS[below(TYPO_LETTERS.length)] ?? ""
  const edits = [[], [letters[at] ?? "", other], [other], [letters[at + 1] ?? "", letters[at] ?? ""]]
  const edit = below(edits.length)
  letters.splice(at, edit === edits.length - 1 ? 2 : 1, ...(edits[edit] ?? []))
  return question.slice(0, word.index) + letters.join("") + question.slice(word.index + word[0].length)
}
