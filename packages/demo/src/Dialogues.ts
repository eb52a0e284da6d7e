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

const phrasesOf = (language: Language) => {
  const phrase = (name: keyof typeof frame.en): Phrase => makePhrase(frame[language][name])
  return {
    outgoing: phrase("outgoing"),
    received: phrase("received"),
    joined: phrase("joined"),
    hold: phrase("hold"),
    patience: phrase("patience"),
    transferred: phrase("transferred"),
    takeover: phrase("takeover"),
    thanks: phrase("thanks"),
    welcome: phrase("welcome"),
    farewell: phrase("farewell"),
    rate: phrase("rate"),
    rating: phrase("rating"),
    ticketOpened: phrase("ticketOpened"),
    assistantStart: phrase("assistantStart")
  }
}

/** The phrases around the talk of a chat, per language. */
export const framePhrases = { en: phrasesOf("en"), uk: phrasesOf("uk"), ru: phrasesOf("ru") }
