// The dialogue plans of every subject by alias and language, parsed once from dialogues/*.json.
import { type DialoguePlan, parsePlans, type SubjectDialogues } from "./DialoguePlan.ts"
import account from "./dialogues/account.json" with { type: "json" }
import billing from "./dialogues/billing.json" with { type: "json" }
import delivery from "./dialogues/delivery.json" with { type: "json" }
import equipment from "./dialogues/equipment.json" with { type: "json" }
import frame from "./dialogues/frame.json" with { type: "json" }
import internet from "./dialogues/internet.json" with { type: "json" }
import mobile from "./dialogues/mobile.json" with { type: "json" }
import orders from "./dialogues/orders.json" with { type: "json" }
import outage from "./dialogues/outage.json" with { type: "json" }
import returns from "./dialogues/returns.json" with { type: "json" }
import speed from "./dialogues/speed.json" with { type: "json" }
import tariffs from "./dialogues/tariffs.json" with { type: "json" }
import television from "./dialogues/television.json" with { type: "json" }
import { makePhrase, type Phrase } from "./Phrase.ts"
import { type Language, languages } from "./Literals.ts"

const texts: Readonly<Record<string, SubjectDialogues>> = {
  internet,
  speed,
  outage,
  mobile,
  television,
  equipment,
  orders,
  delivery,
  returns,
  account,
  tariffs,
  billing
}

export const subjectAliases: ReadonlyArray<string> = Object.keys(texts)

const parsed = new Map<string, ReadonlyArray<DialoguePlan>>()

/** The plans of a subject in a language; an unknown alias throws. */
export const dialoguePlans = (subjectAlias: string, language: Language): ReadonlyArray<DialoguePlan> => {
  const key = `${subjectAlias} ${language}`
  const known = parsed.get(key)
  if (known !== undefined) return known
  const dialogues = texts[subjectAlias]
  if (dialogues === undefined) throw new RangeError(`no dialogues for subject ${subjectAlias}`)
  const plans = parsePlans(subjectAlias, language, dialogues[language])
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
