// Reads the dialogue plans of one subject from their text form: who speaks in which turn, and the phrase of each turn.
//
//   # Title of the plan
//   c: what the client writes
//   o: what the operator answers          (b: the bot, s: the system)
import macros from "./data/macros.json" with { type: "json" }
import { makePhrase, type Phrase } from "./Phrase.ts"
import type { Language } from "./Literals.ts"

export type Voice = "client" | "operator" | "bot" | "system"

export interface Turn {
  readonly voice: Voice
  readonly phrase: Phrase
}

/** A concrete problem and the turns in which it is solved; the title is that of a ticket about it. */
export interface DialoguePlan {
  readonly subjectAlias: string
  readonly language: Language
  readonly title: Phrase
  readonly turns: ReadonlyArray<Turn>
}

/** The plans of a subject in each language: lines in the text form above. */
export type SubjectDialogues = Readonly<Record<Language, ReadonlyArray<string>>>

const voices: Readonly<Record<string, Voice>> = { c: "client", o: "operator", b: "bot", s: "system" }

/** Below that many wordings, and without a slot that differs from talk to talk, a client's line gets `@tail`. */
const PLAIN_WORDINGS_MAX = 24

const telling: ReadonlySet<string> = new Set([
  "address",
  "amount",
  "code",
  "contract",
  "date",
  "deadline",
  "email",
  "fee",
  "last4",
  "later",
  "next",
  "order",
  "parcel",
  "payment",
  "phone",
  "price",
  "request",
  "serial",
  "speed",
  "time",
  "total"
])

/** Parses all plans of one subject and language; a line of another form throws. */
export const parsePlans = (
  subjectAlias: string,
  language: Language,
  lines: ReadonlyArray<string>
): ReadonlyArray<DialoguePlan> => {
  const phrase = (source: string) => makePhrase(source, macros[language])
  const plans: Array<{ title: Phrase; turns: Array<Turn> }> = []
  for (const line of lines) {
    if (line.startsWith("# ")) {
      plans.push({ title: phrase(line.slice(2)), turns: [] })
      continue
    }
    const voice = line[1] === ":" ? voices[line[0] ?? ""] : undefined
    const plan = plans.at(-1)
    if (voice === undefined || plan === undefined) throw new SyntaxError(`not a turn of a plan: ${line}`)
    const own = phrase(line.slice(2).trim())
    const plain =
      voice === "client" &&
      own.count < PLAIN_WORDINGS_MAX &&
      !own.certainSlots.some((slot) => telling.has(slot))
    plan.turns.push({ voice, phrase: plain ? phrase(`${own.source}@tail`) : own })
  }
  return plans.map((plan) => ({ subjectAlias, language, ...plan }))
}
