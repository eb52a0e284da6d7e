// Imports the records of a file through the API, as often as the file is read (docs/moving-in.md).
import type { ChatRequest } from "@rapport/contract/appeals/ChatsApi.ts"
import type { TicketRequest } from "@rapport/contract/appeals/TicketsApi.ts"
import { Client, retryLimited } from "@rapport/contract/Client.ts"
import { CSAT_ACTION } from "@rapport/contract/statistics/Csat.ts"
import { distinctOf } from "@rapport/contract/values/Distinct.ts"
import { assumeUsable, draftViolations, referencesIn } from "@rapport/core/appeals/AppealDraft.ts"
import { Array as Arr, Clock, Effect, Predicate } from "effect"
import { randomUUID } from "node:crypto"
import { type ExportRecord, textIn } from "./ExportRecord.ts"
import {
  bodiesOf,
  chatBody,
  clientOf,
  kinds,
  type NamedUser,
  namesIn,
  ratingOf,
  RecordRefused,
  refuse,
  ticketBody,
  userOf
} from "./ImportLines.ts"

export interface ImportOptions {
  /** The name of the other product in `source` of chats and tickets. */
  readonly source: string
  /** Nothing is written: records are only validated. */
  readonly isDry: boolean
}

/** `repeated`: the record existed, and what was new of it was added. */
export type ImportOutcome = "imported" | "repeated"

/** A problem of the service as the reasons of a refusal; other failures end the import. */
const reasonsOf = (problem: unknown): ReadonlyArray<string> | undefined => {
  if (!Predicate.isReadonlyObject(problem) || !Predicate.isString(problem["detail"])) return undefined
  const errors: ReadonlyArray<unknown> = Array.isArray(problem["errors"]) ? problem["errors"] : []
  const found = errors.flatMap((error) =>
    Predicate.isReadonlyObject(error)
      ? [`${textIn(error, "path") ?? ""} ${textIn(error, "message")}`.trim()]
      : []
  )
  return found.length === 0 ? [`${textIn(problem, "code")}: ${problem["detail"]}`] : found
}

const sendRequest = <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E | RecordRefused, R> =>
  Effect.catch(retryLimited(request), (error) => {
    const reasons = reasonsOf(error)
    const isRefused =
      reasons !== undefined && !(Predicate.isReadonlyObject(error) && error["code"] === "UNAUTHENTICATED")
    return Effect.fail(isRefused ? new RecordRefused({ reasons }) : error)
  })

/** An id in place of the one of a record that a dry run does not write. */
const DRY_ID = 1

/** Clients of one request: their ids fit into a URL. */
const CLIENTS_LISTED = 50

/** Finds users and clients, each once. */
const makeDirectory = Effect.gen(function* () {
  const { clients, users } = yield* Client
  const clientIds = new Map<string, number>()
  const namedUsers = new Map<string, NamedUser | null>()
  return {
    clientIds,
    namedUsers,
    findUser: Effect.fnUntraced(function* (name: string) {
      const known = namedUsers.get(name)
      if (known !== undefined) return known ?? undefined
      const filter = name.includes("@") ? { "filter[email]": name } : { "filter[login]": name }
      const { data } = yield* sendRequest(users.listUsers({ query: { ...filter, limit: 1 } }))
      const [user] = data
      const found = user === undefined ? null : { id: user.id, isActive: user.status === "active" }
      namedUsers.set(name, found)
      return found ?? undefined
    }),
    /** Finds clients in few requests. A list of values cannot have an externalId with a comma. */
    findClients: Effect.fnUntraced(function* (externalIds: ReadonlyArray<string>) {
      const unknown = distinctOf(externalIds).filter((id) => !clientIds.has(id))
      const listed = unknown.filter((id) => !id.includes(","))
      const single = unknown.filter((id) => id.includes(","))
      const queries = [
        ...single.map((id) => ({ "filter[externalId]": id })),
        ...Arr.chunksOf(listed, CLIENTS_LISTED).map((ids) => ({ "filter[externalId][in]": ids }))
      ]
      for (const query of queries) {
        const { data } = yield* sendRequest(
          clients.listClients({ query: { ...query, limit: CLIENTS_LISTED } })
        )
        for (const { externalId, id } of data) if (externalId !== null) clientIds.set(externalId, id)
      }
    })
  }
})
type Directory = Effect.Success<typeof makeDirectory>

const importUser = Effect.fnUntraced(function* (line: ExportRecord, directory: Directory, isDry: boolean) {
  const { users } = yield* Client
  const payload = yield* userOf(line)
  const names = [payload.login, ...(payload.email === undefined ? [] : [payload.email])]
  for (const name of names) if ((yield* directory.findUser(name)) !== undefined) return "repeated" as const
  const id = isDry ? DRY_ID : (yield* sendRequest(users.createUser({ payload, headers: {} }))).id
  const isBlocked = line["blocked"] === true
  if (isBlocked && !isDry) yield* sendRequest(users.blockUser({ params: { id }, payload: {}, headers: {} }))
  for (const name of names) directory.namedUsers.set(name, { id, isActive: !isBlocked })
  return "imported" as const
})

const importClient = Effect.fnUntraced(function* (line: ExportRecord, directory: Directory, isDry: boolean) {
  const { clients } = yield* Client
  const payload = yield* clientOf(line)
  if (payload.externalId === undefined) return yield* refuse("externalId is required")
  if (directory.clientIds.has(payload.externalId)) return "repeated" as const
  const id = isDry ? DRY_ID : (yield* sendRequest(clients.createClient({ payload, headers: {} }))).id
  directory.clientIds.set(payload.externalId, id)
  return "imported" as const
})

/** Registers the rating of a chat or ticket. A stored one stays as it is. */
const importRating = Effect.fnUntraced(function* (
  { comment, occurredAt, score }: NonNullable<Effect.Success<ReturnType<typeof ratingOf>>>,
  {
    appealId,
    clientId,
    source
  }: { readonly appealId: number; readonly clientId: number; readonly source: string }
) {
  const { clientContext } = yield* Client
  const register = clientContext.registerClientAction({
    params: { client_id: clientId },
    headers: { "idempotency-key": randomUUID() },
    payload: {
      type: CSAT_ACTION,
      actorType: "client",
      source,
      externalEventId: `rating-${appealId}`,
      appealId,
      occurredAt,
      ...(comment === undefined ? {} : { summary: comment }),
      payload: { score }
    }
  })
  yield* sendRequest(Effect.catchTag(register, "ExternalEventConflict", () => Effect.void))
})

/** The rules that need no record of the service. */
const checkDraft = Effect.fnUntraced(function* (request: ChatRequest | TicketRequest) {
  const usable = assumeUsable(referencesIn(request))
  const violations = draftViolations(request, usable, yield* Clock.currentTimeMillis)
  if (violations.length > 0)
    return yield* refuse(...violations.map(({ message, path }) => `${path} ${message}`))
})

const importAppeal = Effect.fnUntraced(function* (
  line: ExportRecord,
  directory: Directory,
  { isDry, source }: ImportOptions
) {
  const { chats, tickets } = yield* Client
  const client = textIn(line, "client")
  if (client === undefined) return yield* refuse("client must be the externalId of a client")
  if (textIn(line, "externalId") === undefined) return yield* refuse("externalId is required")
  const clientId = directory.clientIds.get(client)
  if (clientId === undefined) return yield* refuse(`client: there is no client with the externalId ${client}`)
  yield* Effect.forEach(new Set(namesIn(line)), directory.findUser, { discard: true })
  const userNamed = (name: string) => directory.namedUsers.get(name) ?? undefined
  const rating = yield* ratingOf(line)
  let appealId = DRY_ID
  let outcome: ImportOutcome = "imported"
  for (const [slice, body] of bodiesOf(line, { clientId, source, userNamed }).entries()) {
    const isChat = line["kind"] === "chat"
    if (isDry) {
      yield* checkDraft(yield* isChat ? chatBody(body) : ticketBody(body))
      continue
    }
    const request = isChat
      ? Effect.map(
          chats.createChat({ payload: yield* chatBody(body), headers: {} }),
          ({ chat, replayed }) => ({ id: chat.id, replayed })
        )
      : Effect.map(
          tickets.createTicket({ payload: yield* ticketBody(body), headers: {} }),
          ({ replayed, ticket }) => ({ id: ticket.id, replayed })
        )
    const { id, replayed } = yield* sendRequest(request)
    appealId = id
    if (slice === 0 && replayed) outcome = "repeated"
  }
  if (rating !== undefined && !isDry) yield* importRating(rating, { appealId, clientId, source })
  return outcome
})

export const makeImport = Effect.fnUntraced(function* (options: ImportOptions) {
  const directory = yield* makeDirectory
  return {
    /** To be run before `record`: finds the clients that the records name. */
    prepare: (lines: ReadonlyArray<ExportRecord>) =>
      directory.findClients(
        lines.flatMap((line) => textIn(line, line["kind"] === "client" ? "externalId" : "client") ?? [])
      ),
    /** Fails with RecordRefused, or with a failure that ends the import. */
    record: Effect.fnUntraced(function* (line: ExportRecord) {
      switch (line["kind"]) {
        case "user":
          return yield* importUser(line, directory, options.isDry)
        case "client":
          return yield* importClient(line, directory, options.isDry)
        case "chat":
        case "ticket":
          return yield* importAppeal(line, directory, options)
        default:
          return yield* refuse(`kind must be one of ${kinds.join(", ")}`)
      }
    }),
    /** Logins and e-mails that no user has: their messages have no authorId. */
    unknownUsers: () => [...directory.namedUsers].flatMap(([name, user]) => (user === null ? [name] : []))
  }
})
