// A data set in memory, independent of its file format (docs/retrieval-figures.md, "Data sets").
import { APPEAL_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { Data } from "effect"

/** A message of a session. The text describes its picture, as an imported history would. */
export interface Turn {
  readonly id: string
  readonly speaker: string
  readonly text: string
}

/** One appeal. */
export interface Session {
  readonly atMillis: number
  readonly turns: ReadonlyArray<Turn>
}

export interface Question {
  readonly text: string
  readonly category: string
  /** Turns of the conversation that hold the answer: each once, at least one. */
  readonly evidence: ReadonlyArray<string>
}

/** One client and all that was ever said with them. */
export interface Conversation {
  readonly name: string
  /** The speaker who is the client; all others are operators. */
  readonly client: string
  readonly sessions: ReadonlyArray<Session>
  readonly questions: ReadonlyArray<Question>
}

/** Questions about conversations: what is wanted are the sessions that hold the evidence. */
export interface Conversations {
  readonly _tag: "Conversations"
  readonly conversations: ReadonlyArray<Conversation>
  /** Questions that are skipped because no turn of their conversation is evidence. */
  readonly skipped: number
}

/** A closed appeal, or a question whose relevant appeals have the same intent. */
export interface Utterance {
  /** Zero-based number of the data row. */
  readonly row: number
  readonly text: string
  readonly intent: string
}

/** Single utterances with their intents. */
export interface Utterances {
  readonly _tag: "Utterances"
  readonly stored: ReadonlyArray<Utterance>
  readonly questions: ReadonlyArray<Utterance>
}

export type Dataset = Conversations | Utterances

/** As the service takes a text: without what PostgreSQL cannot store, and within the length of a message. */
export const writable = (text: string): string => {
  const clean = text.toWellFormed().replaceAll("\u0000", "").trim()
  // A text of as many units has at most as many code points.
  return clean.length <= APPEAL_TEXT_POINTS_MAX ? clean : [...clean].slice(0, APPEAL_TEXT_POINTS_MAX).join("")
}

/** The place of a fault in the file: a line, or a path such as `[0].sessions[3].at`. */
export interface DatasetViolation {
  readonly place: string
  readonly message: string
}

const SHOWN_MAX = 10

/** The file cannot be read as a data set. */
export class DatasetInvalid extends Data.TaggedError("DatasetInvalid")<{
  readonly file: string
  readonly violations: ReadonlyArray<DatasetViolation>
}> {
  override get message(): string {
    const shown = this.violations
      .slice(0, SHOWN_MAX)
      .map(({ message, place }) => `${place === "" ? "the file" : place} ${message}`)
    const more = this.violations.length - shown.length
    return `${this.file}: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`
  }
}
