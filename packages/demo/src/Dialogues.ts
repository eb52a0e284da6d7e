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
import type { Language } from "./SeedRows.ts"

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

export const languages: ReadonlyArray<Language> = ["uk", "ru", "en"]

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

export type FramePhrases = Readonly<Record<keyof typeof frame.en, Phrase>>

const phrasesOf = (language: Language): FramePhrases => {
  const texts = frame[language]
  return {
    outgoing: makePhrase(texts.outgoing),
    received: makePhrase(texts.received),
    joined: makePhrase(texts.joined),
    hold: makePhrase(texts.hold),
    patience: makePhrase(texts.patience),
    transferred: makePhrase(texts.transferred),
    takeover: makePhrase(texts.takeover),
    thanks: makePhrase(texts.thanks),
    welcome: makePhrase(texts.welcome),
    farewell: makePhrase(texts.farewell),
    rate: makePhrase(texts.rate),
    rating: makePhrase(texts.rating),
    ticketOpened: makePhrase(texts.ticketOpened),
    assistantStart: makePhrase(texts.assistantStart)
  }
}

/** The phrases around the talk of a chat, per language. */
export const framePhrases: Readonly<Record<Language, FramePhrases>> = {
  en: phrasesOf("en"),
  uk: phrasesOf("uk"),
  ru: phrasesOf("ru")
}
