// The dialogue plans of every subject by alias and language, parsed once from data/dialogues.json.
import { type DialoguePlan, parsePlans, type SubjectDialogues } from "./DialoguePlan.ts"
import dialogues from "./data/dialogues.json" with { type: "json" }
import frame from "./data/frame.json" with { type: "json" }
import { makePhrase, type Phrase } from "./Phrase.ts"
import { type Language, languages } from "./Literals.ts"

const texts: Readonly<Record<string, SubjectDialogues>> = dialogues

const parsed = new Map<string, ReadonlyArray<DialoguePlan>>()

/** The plans of a subject in a language; an unknown alias throws. */
export const dialoguePlans = (subjectAlias: string, language: Language): ReadonlyArray<DialoguePlan> => {
  const key = `${subjectAlias} ${language}`
  const known = parsed.get(key)
  if (known !== undefined) return known
  const lines = texts[subjectAlias]?.[language]
  if (lines === undefined) throw new RangeError(`no dialogues for subject ${subjectAlias}`)
  const plans = parsePlans(subjectAlias, language, lines)
  parsed.set(key, plans)
  return plans
}

export type FramePhrase = keyof typeof frame.en
const framePhrases = new Map(
  languages.map((language) => [
    language,
    new Map(Object.entries(frame[language]).map(([name, source]) => [name, makePhrase(source)]))
  ])
)

/** A phrase around the talk of a chat. */
export const framePhrase = (language: Language, name: FramePhrase): Phrase => {
  const phrase = framePhrases.get(language)?.get(name)
  if (phrase === undefined) throw new RangeError(`no phrase ${name} in ${language}`)
  return phrase
}
