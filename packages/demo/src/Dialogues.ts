// The dialogue plans of all subjects by alias and language, parsed once.
import { type DialoguePlan, parsePlans, type SubjectDialogues } from "./DialoguePlan.ts"
import { account } from "./dialogues/account.ts"
import { billing } from "./dialogues/billing.ts"
import { delivery } from "./dialogues/delivery.ts"
import { equipment } from "./dialogues/equipment.ts"
import { frame, type Frame } from "./dialogues/frame.ts"
import { internet } from "./dialogues/internet.ts"
import { mobile } from "./dialogues/mobile.ts"
import { orders } from "./dialogues/orders.ts"
import { outage } from "./dialogues/outage.ts"
import { returns } from "./dialogues/returns.ts"
import { speed } from "./dialogues/speed.ts"
import { tariffs } from "./dialogues/tariffs.ts"
import { television } from "./dialogues/television.ts"
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

export type FramePhrases = { readonly [K in keyof Frame]: Phrase }

const phrasesOf = (language: Language): FramePhrases => {
  const f = frame[language]
  return {
    outgoing: makePhrase(f.outgoing),
    received: makePhrase(f.received),
    joined: makePhrase(f.joined),
    hold: makePhrase(f.hold),
    patience: makePhrase(f.patience),
    transferred: makePhrase(f.transferred),
    takeover: makePhrase(f.takeover),
    thanks: makePhrase(f.thanks),
    welcome: makePhrase(f.welcome),
    farewell: makePhrase(f.farewell),
    rate: makePhrase(f.rate),
    rating: makePhrase(f.rating),
    ticketOpened: makePhrase(f.ticketOpened),
    assistantStart: makePhrase(f.assistantStart)
  }
}

/** The phrases around the talk of a chat, per language. */
export const framePhrases: Readonly<Record<Language, FramePhrases>> = {
  en: phrasesOf("en"),
  uk: phrasesOf("uk"),
  ru: phrasesOf("ru")
}
