// The names of the people of the demo data in Ukrainian, Russian and English, with gender and form of address.
import names from "./data/names.json" with { type: "json" }
import type { Gender } from "./Phrase.ts"
import type { Random } from "./Random.ts"
import type { Language } from "./Literals.ts"

export interface PersonName {
  readonly first: string
  readonly last: string
  readonly gender: Gender
  /** The first name in the form of address (Ukrainian vocative), as it is written in a language. */
  readonly addressIn: (language: Language) => string
}

/** First names, Ukrainian ones as nominative/vocative; last names, `*` where a Russian one takes -а in the feminine. */
const { first: firstNames, last: lastNames } = names

/** A believable name of a speaker of the language. */
export const personName = (random: Random, language: Language): PersonName => {
  const gender: Gender = random.chance(0.5) ? "m" : "f"
  const [first = "", address = first] = random.pick(firstNames[language][gender]).split("/")
  const last = random.pick(lastNames[language])
  return {
    first,
    addressIn: () => address,
    gender,
    last: last.endsWith("*") ? last.slice(0, -1) + (gender === "f" ? "а" : "") : last
  }
}

const latin: Readonly<Record<string, string>> = names.latin

/** A name in small Latin letters, for addresses. */
export const latinNameOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\p{Script=Cyrillic}/gu, (letter) => latin[letter] ?? "")
    .normalize("NFD")
    .replace(/[^a-z]/gu, "")
