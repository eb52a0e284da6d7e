// Maps the spellings of a word to one.

/**
 * A word without what people leave out or write in several ways: case, compatibility forms, apostrophes (п'ять, п’ять,
 * пʼять), characters that are not seen, accents (but й and ї are letters of their own), ё as е, letters of the other
 * alphabet that look alike.
 */
export const fold = (word: string): string => {
  const lower = word.toLowerCase()
  return PLAIN.test(lower) ? lower : foldAny(word)
}

// In one alphabet, without accents: nothing to fold but case.
const PLAIN = /^(?:[a-z\d]+|[а-яіїєґ\d]+)$/u

// Once accents are gone, a letter may look like one of the other alphabet that it did not look like before.
const foldAny = (word: string): string => {
  const once = foldOnce(word)
  const twice = foldOnce(once)
  return twice === once ? once : foldOnce(twice)
}

const foldOnce = (word: string): string =>
  oneAlphabet(word.normalize("NFKC"))
    .toLowerCase()
    // Apostrophes, four letters that serve as one, and what a compatibility form may unfold to: a space, a fraction stroke.
    .replace(/[^\p{L}\p{N}\p{M}]+|[ʼʹʻꞌ]/gu, "")
    .replaceAll("ё", "е")
    .replace(/[łøđðħıßæœþ]/gu, (letter) => PLAIN_LETTERS[letter] ?? letter)
    .normalize("NFD")
    .replace(/(?<![иі])\p{M}/gu, "")
    .replace(/(?<=[иі])(?![\u0306\u0308])\p{M}/gu, "")
    .normalize("NFC")

// Letters with strokes and ligatures, which no normal form takes apart.
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ł: "l",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  þ: "th"
}

const LATIN = "AaBCcEeHIiKMOoPpTXxYyÏïËë"
const CYRILLIC = "АаВСсЕеНІіКМОоРрТХхУуЇїЁё"
const lookAlikes = (from: string, to: string): ReadonlyMap<string, string> =>
  new Map([...from].map((letter, at) => [letter, to[at] ?? letter]))
const toCyrillic = lookAlikes(LATIN, CYRILLIC)
const toLatin = lookAlikes(CYRILLIC, LATIN)

// A word in two alphabets is one in that which the letters of the other only look like.
const oneAlphabet = (word: string): string => {
  if (!/\p{Script=Cyrillic}/u.test(word) || !/\p{Script=Latin}/u.test(word)) return word
  const replaceLetters = (letters: RegExp, by: ReadonlyMap<string, string>): string | undefined =>
    (word.match(letters) ?? []).every((letter) => by.has(letter))
      ? word.replace(letters, (letter) => by.get(letter) ?? letter)
      : undefined
  return (
    replaceLetters(/\p{Script=Latin}/gu, toCyrillic) ??
    replaceLetters(/\p{Script=Cyrillic}/gu, toLatin) ??
    word
  )
}
