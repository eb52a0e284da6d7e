// The JSON form of a data set: conversations, their sessions and turns, and questions with the turns that answer them.
import { faultsOf } from "@rapport/contract/values/Faults.ts"
import { HISTORY_MESSAGES_MAX } from "@rapport/contract/Limits.ts"
import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { DatasetInvalid, writable } from "./Dataset.ts"
import { sessionMillisOf } from "./SessionTime.ts"

const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
/** A name, or a number that serves as one. */
const Label = Schema.Union([Schema.String, Schema.Finite])

const timeMessage = "must be a time, such as 2023-05-08T13:56:00Z or 1:56 pm on 8 May, 2023"
const SessionTime = Schema.String.pipe(
  Schema.decodeTo(Schema.Finite, {
    decode: SchemaGetter.transformEffect((text: string) => {
      const millis = sessionMillisOf(text)
      return millis === undefined
        ? Effect.fail(new SchemaIssue.InvalidValue({ message: timeMessage }))
        : Effect.succeed(millis)
    }),
    encode: SchemaGetter.String()
  })
)

const TurnMembers = Schema.Struct({
  id: Schema.NonEmptyString,
  speaker: Schema.NonEmptyString,
  text: maybe(Schema.String),
  caption: maybe(Schema.String)
})

const SessionMembers = Schema.Struct({
  at: SessionTime,
  turns: Schema.Array(TurnMembers).check(
    Schema.isMaxLength(HISTORY_MESSAGES_MAX, { message: `must have at most ${HISTORY_MESSAGES_MAX} members` })
  )
})

/** Unknown members are ignored at every level. */
const File = Schema.Array(
  Schema.Struct({
    conversation: Label,
    speakers: Schema.Array(Schema.NonEmptyString).check(
      Schema.isMinLength(1, { message: "must name the client first" })
    ),
    sessions: Schema.Array(SessionMembers),
    questions: Schema.Array(
      Schema.Struct({
        question: Schema.String.check(Schema.isPattern(/\S/u, { message: "must not be empty" })),
        category: maybe(Label),
        evidence: maybe(Schema.Union([Schema.String, Schema.Array(Schema.String)]))
      })
    )
  })
).check(Schema.isMinLength(1, { message: "must have at least one conversation" }))
type ConversationMembers = (typeof File.Type)[number]

const decode = Schema.decodeUnknownEffect(File, { errors: "all" })

/** Parses the text of a file. `file` is its name in errors. */
export const conversationsOf = Effect.fnUntraced(function* (file: string, text: string) {
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(text.replace(/^\uFEFF/u, "")),
    catch: (error) => DatasetInvalid.of(file, `the file is not JSON: ${String(error)}`)
  })
  const read = yield* Effect.mapError(decode(json), ({ issue }) =>
    DatasetInvalid.of(file, ...faultsOf(issue).map(({ message, path }) => `${path || "the file"} ${message}`))
  )
  const duplicates = read.flatMap(duplicateTurns)
  if (duplicates.length > 0) return yield* DatasetInvalid.of(file, ...duplicates)
  const conversations = read.map(conversationOf)
  const questions = read.reduce((sum, { questions }) => sum + questions.length, 0)
  const kept = conversations.reduce((sum, { questions }) => sum + questions.length, 0)
  /** `skipped`: questions without a turn of their conversation as evidence. */
  return { _tag: "Conversations" as const, conversations, skipped: questions - kept }
})

/** Evidence names turns by their ids, so an id must be unique in its conversation. */
const duplicateTurns = ({ sessions }: ConversationMembers, conversation: number) => {
  const seen = new Set<string>()
  return sessions.flatMap(({ turns }, session) =>
    turns.flatMap(({ id }, turn) => {
      const first = !seen.has(id)
      seen.add(id)
      const place = `[${conversation}].sessions[${session}].turns[${turn}].id`
      return first ? [] : [`${place} must be unique in its conversation: ${id}`]
    })
  )
}

/** One client and all that was ever said with them. Other speakers than the client are operators. */
export type Conversation = ReturnType<typeof conversationOf>

const conversationOf = (members: ConversationMembers) => {
  const sessions = members.sessions
    .map(({ at, turns }) => ({ atMillis: at, turns: turns.flatMap(turnOf) }))
    .filter(({ turns }) => turns.length > 0)
  const turnsNamed = evidenceReader(sessions.flatMap(({ turns }) => turns.map(({ id }) => id)))
  return {
    name: String(members.conversation),
    client: members.speakers[0] ?? "",
    sessions,
    questions: members.questions.flatMap(({ category, evidence, question }) => {
      const named = turnsNamed(typeof evidence === "string" ? [evidence] : (evidence ?? []))
      return named.length === 0
        ? []
        : [{ text: writable(question), category: categoryOf(category ?? "all"), evidence: named }]
    })
  }
}

/** The caption of a picture is a line of the message. A turn without text is left out. */
const turnOf = ({ caption, id, speaker, text }: typeof TurnMembers.Type) => {
  const shown = caption?.trim() ?? ""
  const said = writable([text ?? "", shown === "" ? "" : `[${shown}]`].join("\n"))
  return said === "" ? [] : [{ id, speaker, text: said }]
}

/** Resolves references to turns: as written, else split at separators, else in another spelling. */
const evidenceReader = (turnIds: ReadonlyArray<string>) => {
  const exact = new Set(turnIds)
  const spelled = new Map(turnIds.map((id) => [normalize(id), id]))
  const findId = (id: string) => (exact.has(id) ? id : spelled.get(normalize(id)))
  return (references: ReadonlyArray<string>): ReadonlyArray<string> => {
    const ids = references.flatMap((reference) => {
      const whole = findId(reference.trim())
      return whole === undefined ? reference.split(/[;,\s]+/u).map(findId) : [whole]
    })
    return [...new Set(ids.filter((id) => id !== undefined))]
  }
}

/** Hand-written references differ in case and leading zeros: `d8:06` is `D8:6`. */
const normalize = (id: string): string => id.toUpperCase().replace(/(?<![0-9])0+(?=[0-9])/gu, "")

/** The numbers that long-memory sets give to their kinds of questions. */
const kinds = ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"]
const categoryOf = (category: string | number): string => {
  const kind = kinds[Number(category) - 1]
  return kind === undefined ? String(category) : `${Number(category)} ${kind}`
}
