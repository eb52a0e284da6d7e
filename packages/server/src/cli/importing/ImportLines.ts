// The lines of an import file, and the requests of the API that they become (docs/moving-in.md).
import { ChatRequest } from "@rapport/contract/appeals/ChatsApi.ts"
import { TicketRequest } from "@rapport/contract/appeals/TicketsApi.ts"
import { ClientRequest } from "@rapport/contract/clients/ClientsApi.ts"
import { HISTORY_MESSAGES_MAX } from "@rapport/contract/Limits.ts"
import { CSAT_SCORE_MAX } from "@rapport/contract/statistics/Csat.ts"
import { UserRequest } from "@rapport/contract/users/UsersApi.ts"
import { collectFaults } from "@rapport/contract/values/CollectFaults.ts"
import { strictFirst } from "@rapport/contract/values/Faults.ts"
import { LongText } from "@rapport/contract/values/Members.ts"
import { Time } from "@rapport/contract/values/Time.ts"
import { Effect, Option, Predicate, Schema } from "effect"
import { type ExportRecord, objectsIn, present, textIn } from "./ExportRecord.ts"

/** Why a record is not imported. */
export class RecordRefused extends Schema.TaggedError<RecordRefused>()("RecordRefused", {
  reasons: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return this.reasons.join("; ")
  }
}

export const refuse = (...reasons: ReadonlyArray<string>) => Effect.fail(new RecordRefused({ reasons }))

export const kinds = ["user", "client", "chat", "ticket"] as const

/** A user that a line names by login or e-mail. */
export interface NamedUser {
  readonly id: number
  readonly isActive: boolean
}
type UserNamed = (name: string) => NamedUser | undefined

/** The logins and e-mails that a line names. */
export const namesIn = (line: ExportRecord): ReadonlyArray<string> =>
  [line, ...objectsIn(line, "messages")].flatMap((part) =>
    ["operator", "author"].flatMap((member) => textIn(part, member) ?? [])
  )

const decoderOf = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(schema, strictFirst)
  return (body: ExportRecord): Effect.Effect<A, RecordRefused> =>
    Effect.catch(decode(body), () =>
      refuse(
        ...collectFaults(schema, body).map(({ message, path }) =>
          path === "" ? message : `${path} ${message}`
        )
      )
    )
}

const userBody = decoderOf(UserRequest)
const clientBody = decoderOf(ClientRequest)
export const chatBody = decoderOf(ChatRequest)
export const ticketBody = decoderOf(TicketRequest)

/** The client's rating of a chat or ticket, which becomes an action that the statistics count (contract §9.3). */
const Rated = Schema.Struct({
  rating: Schema.optionalKey(
    Schema.Struct({
      score: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: CSAT_SCORE_MAX })),
      comment: Schema.optionalKey(LongText),
      occurredAt: Time
    })
  )
})
const ratedBody = decoderOf(Rated)
export const ratingOf = ({ rating }: ExportRecord) =>
  Effect.map(ratedBody(present({ rating })), (body) => body.rating)

export const userOf = ({ blocked: _blocked, kind: _kind, ...members }: ExportRecord) => userBody(members)
export const clientOf = ({ kind: _kind, ...members }: ExportRecord) => clientBody(members)

/** The bodies of the requests that import a chat or ticket: one for each thousand messages, the last one ends it. */
export const bodiesOf = (
  {
    author,
    client: _client,
    kind: _kind,
    messages: written,
    operator,
    rating: _rating,
    ...members
  }: ExportRecord,
  known: { readonly clientId: number; readonly source: string; readonly userNamed: UserNamed }
): ReadonlyArray<ExportRecord> => {
  const { userNamed } = known
  const messages = objectsIn({ written }, "written").map(({ author: writer, ...message }) =>
    present({
      ...message,
      authorId: Predicate.isString(writer) ? userNamed(writer)?.id : message["authorId"]
    })
  )
  const isEnded = members["closedAt"] !== undefined || members["status"] === "closed"
  const assigned = Predicate.isString(operator) ? userNamed(operator) : undefined
  const body = present({
    ...members,
    ...(assigned === undefined || !(assigned.isActive || isEnded) ? {} : { operatorId: assigned.id }),
    ...(Predicate.isString(author) ? { authorId: userNamed(author)?.id } : {}),
    clientId: known.clientId,
    source: known.source
  })
  const { closedAt: _closedAt, status, ...open } = body
  const slices = Math.max(1, Math.ceil(messages.length / HISTORY_MESSAGES_MAX))
  return Array.from({ length: slices }, (_, slice) => ({
    ...(slice === slices - 1 || !isEnded ? body : open),
    ...(slice === slices - 1 || isEnded || status === undefined ? {} : { status }),
    messages: messages.slice(slice * HISTORY_MESSAGES_MAX, (slice + 1) * HISTORY_MESSAGES_MAX)
  }))
}

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The records of a line. A line of a file of refused records contains the record as `record`. */
export const recordsIn = (
  text: string,
  convert: (record: ExportRecord) => ReadonlyArray<ExportRecord>
): Effect.Effect<ReadonlyArray<ExportRecord>, RecordRefused> => {
  const value = Option.getOrUndefined(parse(text))
  if (!Predicate.isReadonlyObject(value)) return refuse("the line must be a JSON object")
  const record = value["record"]
  return Effect.succeed(Predicate.isReadonlyObject(record) ? [record] : convert(value))
}
