// Turns a dialogue plan into the lines of one talk: who says what, in their own manner; times come later.
import type { Staff } from "./Company.ts"
import type { ClientPerson } from "./Clients.ts"
import type { DialoguePlan, Voice } from "./DialoguePlan.ts"
import { type FramePhrase, framePhrase } from "./Dialogues.ts"
import type { Language } from "./Literals.ts"
import { type Gender, type Phrase, type SlotValue, Wordings } from "./Phrase.ts"
import type { Random } from "./Random.ts"
import { slotValue } from "./Slots.ts"

export interface Line {
  readonly voice: Voice
  /** The operator who speaks. */
  readonly operator: Staff | null
  readonly text: string
  /** Belongs to the ending, which an open appeal has not reached. */
  readonly ending: boolean
}

export interface TalkSpec {
  readonly seed: number
  readonly plan: DialoguePlan
  readonly client: ClientPerson
  readonly at: number
  /** The first answers; the second, if any, takes over. */
  readonly operators: readonly [Staff, ...ReadonlyArray<Staff>]
  readonly outgoing: boolean
}

const letterApostrophe = /(?<=\p{L})'(?=\p{L})/gu
const apostrophes = ["'", "’", "ʼ"] as const

const operatorApostrophe = (operator: Staff | null, language: Language): string =>
  language === "en" ? "'" : (apostrophes[(operator?.id ?? 1) % 3] ?? "'")

/** Writes talks; it goes through the wordings of each phrase evenly, so one writer serves one whole demo. */
export class TalkWriter {
  readonly #company: string
  readonly #wordings = new Wordings()

  constructor(company: string) {
    this.#company = company
  }

  /** The values of the slots of a talk. */
  slots(
    { at, client, seed }: Pick<TalkSpec, "at" | "client" | "seed">,
    language: Language,
    operator = ""
  ): SlotValue {
    const { contract, email } = client
    const name = client.addressIn(language)
    return (slot) =>
      slotValue(slot, { seed, language, at, company: this.#company, name, email, contract, operator })
  }

  /** A phrase in the words of this conversation, unstyled. */
  say(
    phrase: Phrase,
    spec: Omit<TalkSpec, "operators" | "outgoing">,
    operator: Staff | null,
    gender: Gender
  ): string {
    const slot = this.slots(spec, spec.plan.language, operator?.fullName)
    return phrase.wording(this.#wordings.next(phrase), slot, gender)
  }

  /** As this client types it. */
  byClient(text: string, client: ClientPerson): string {
    let typed = text.replace(letterApostrophe, client.apostrophe)
    if (client.smallLetters && !/^\p{Lu}{2}/u.test(typed))
      typed = typed.slice(0, 1).toLowerCase() + typed.slice(1)
    if (client.noFullStop && /[^.]\.$/u.test(typed)) typed = typed.slice(0, -1)
    return typed
  }

  #line(
    voice: Voice,
    said: Phrase | FramePhrase,
    spec: TalkSpec,
    operator: Staff | null,
    ending = false
  ): Line {
    const { client, plan } = spec
    const phrase = typeof said === "string" ? framePhrase(plan.language, said) : said
    const gender = voice === "client" ? client.gender : (operator?.gender ?? "m")
    const text = this.say(phrase, spec, operator, gender)
    return {
      voice,
      operator: voice === "operator" ? operator : null,
      text:
        voice === "client"
          ? this.byClient(text, client)
          : text.replace(letterApostrophe, operatorApostrophe(operator, plan.language)),
      ending
    }
  }

  /** A chat: the plan's turns with what surrounds them (the bot's receipt, joining, waiting, farewell, rating). */
  chat(spec: TalkSpec, random: Random): ReadonlyArray<Line> {
    const [first, second] = spec.operators
    const transferAt = second === undefined ? -1 : random.int(2, 3)
    const lines: Array<Line> = []
    const add = (voice: Voice, said: Phrase | FramePhrase, operator: Staff | null, ending = false) =>
      lines.push(this.#line(voice, said, spec, operator, ending))
    let current = first
    let answers = 0
    if (spec.outgoing) add("bot", "outgoing", null)
    for (const [i, turn] of spec.plan.turns.entries()) {
      if (turn.voice === "operator") {
        answers++
        if (answers === 1 && random.chance(0.5)) add("system", "joined", first)
        if (answers === transferAt && second !== undefined) {
          current = second
          add("system", "transferred", second)
          add("operator", "takeover", second)
        } else if (answers > 1 && random.chance(0.38)) {
          add("operator", "hold", current)
          if (random.chance(0.4)) add("client", "agreement", null)
        }
      }
      add(turn.voice, turn.phrase, current)
      if (i === 0 && turn.voice === "client" && random.chance(0.55)) add("bot", "received", null)
    }
    if (lines.at(-1)?.voice === "client") {
      if (random.chance(0.8)) add("operator", "farewell", current, true)
    } else {
      add("client", "thanks", null, true)
      if (random.chance(0.6)) add("operator", "welcome", current, true)
    }
    if (random.chance(0.25)) {
      add("bot", "rate", null, true)
      if (random.chance(0.75)) add("client", "rating", null, true)
    }
    return lines
  }

  /** A ticket: only the plan's turns, sometimes with the opening line and thanks. */
  ticket(spec: TalkSpec, random: Random): ReadonlyArray<Line> {
    const [first, second] = spec.operators
    const lines: Array<Line> = []
    let answers = 0
    if (random.chance(0.4)) lines.push(this.#line("system", "ticketOpened", spec, first))
    for (const { phrase, voice } of spec.plan.turns) {
      if (voice === "operator") answers++
      lines.push(this.#line(voice, phrase, spec, answers > 1 ? (second ?? first) : first))
    }
    if (lines.at(-1)?.voice === "operator" && random.chance(0.6))
      lines.push(this.#line("client", "thanks", spec, null, true))
    return lines
  }
}
