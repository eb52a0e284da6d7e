// What else a word may have been meant as: the same keys in another layout, or the same sounds in Latin letters.

const LATIN_KEYS = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
const UKRAINIAN_KEYS = "йцукенгшщзхїфівапролджєячсмитьбю'"
const RUSSIAN_KEYS = "йцукенгшщзхъфывапролджэячсмитьбюё"
// The same keys with the shift key.
const SHIFTED = new Map([...'{}:"<>~'].map((sign, at) => [sign, "[];',.`"[at] ?? sign]))

const typedOn = (from: string, to: string) => {
  const keys = new Map([...from].map((letter, at) => [letter, to[at] ?? letter]))
  return (text: string): string =>
    [...text.toLowerCase()].map((sign) => keys.get(SHIFTED.get(sign) ?? sign) ?? sign).join("")
}

/** A text typed in one layout as it would be in another. */
export const layouts: ReadonlyArray<(text: string) => string> = [
  typedOn(LATIN_KEYS, UKRAINIAN_KEYS),
  typedOn(LATIN_KEYS, RUSSIAN_KEYS)
]
export const latinLayouts: ReadonlyArray<(text: string) => string> = [
  typedOn(UKRAINIAN_KEYS, LATIN_KEYS),
  typedOn(RUSSIAN_KEYS, LATIN_KEYS)
]

// The longest first.
const SOUNDS: ReadonlyArray<readonly [latin: string, cyrillic: string]> = [
  ["shch", "щ"],
  ["sch", "щ"],
  ["zgh", "зг"],
  ["zh", "ж"],
  ["kh", "х"],
  ["ts", "ц"],
  ["ch", "ч"],
  ["sh", "ш"],
  ["ya", "я"],
  ["ia", "я"],
  ["ja", "я"],
  ["yu", "ю"],
  ["iu", "ю"],
  ["ju", "ю"],
  ["ye", "є"],
  ["ie", "є"],
  ["je", "є"],
  ["yi", "ї"],
  ["ji", "ї"],
  ["yo", "йо"],
  ["yy", "ий"],
  ["iy", "ий"],
  ["ii", "ії"],
  ...[..."abvwghdezijklmnoprstufycqx"].map(
    (letter, at) => [letter, [..."абввггдезійклмнопрстуфицк", "кс"][at] ?? letter] as const
  ),
  ["'", "ь"],
  ["’", "ь"]
]

// Where people differ in how they write a sound.
const HABITS: ReadonlyArray<Readonly<Record<string, string>>> = [
  {},
  { h: "х", y: "і", i: "и", e: "є" },
  { y: "ы", i: "и", ie: "ие", ia: "ия", iu: "ию", ye: "е", yi: "ый", ii: "ий" },
  { i: "и", h: "х", y: "ы", ye: "е" },
  { ie: "іє", ia: "ія", iu: "ію", y: "й" }
]

const sounded = (word: string, habit: Readonly<Record<string, string>>): string => {
  let text = ""
  for (let at = 0; at < word.length;) {
    const [latin, cyrillic] = SOUNDS.find(([latin]) => word.startsWith(latin, at)) ?? [word[at] ?? "", ""]
    text += habit[latin] ?? cyrillic
    at += latin.length
  }
  return text
}

/** A word in Latin letters as it may be written in Cyrillic ones. */
export const transliterations = (word: string): ReadonlyArray<string> => [
  ...new Set(HABITS.map((habit) => sounded(word.toLowerCase(), habit)))
]
