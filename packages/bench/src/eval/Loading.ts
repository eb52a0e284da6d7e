// Loads a data set through the routes of the service, under idempotency keys that are made from its text.
import type { ChatRequest } from "@rapport/contract/appeals/ChatsApi.ts"
import { Client, retryLimited } from "@rapport/contract/Client.ts"
import { PageLimits, SHORT_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { Console, Data, Effect, Schedule } from "effect"
import type { Conversation } from "./ConversationFile.ts"
import type { Utterances } from "./UtteranceFile.ts"

/** The index did not catch up. */
export class IndexBehind extends Data.TaggedError("IndexBehind")<{ readonly message: string }> {}

/** Parallel writes. */
const LOADS_CONCURRENCY = 4
const TURN_MILLIS = 30_000

const keyHeaders = (key: string) => ({ "idempotency-key": `eval-${key}` })

/** Ends when everything is searchable. Data loaded within the lifetime of the keys is not loaded again. */
export const loadConversations = Effect.fn("Loading.loadConversations")(function* (
  conversations: ReadonlyArray<Conversation>,
  run: string
) {
  const operators = yield* makeOperators(conversations, run)
  const sessions = conversations.reduce((sum, { sessions }) => sum + sessions.length, 0)
  yield* Console.error(`loading ${sessions} sessions …`)
  const loaded = yield* Effect.forEach(conversations, (conversation, at) =>
    Effect.gen(function* () {
      const { id: clientId } = yield* makeClient(run, String(at), conversation.client)
      const chats = yield* Effect.forEach(
        conversation.sessions,
        ({ atMillis, turns }, number) =>
          Effect.flatMap(
            makeChat(`${run}-chat-${at}-${number}`, {
              clientId,
              createdAt: atMillis,
              messages: turns.map(({ id, speaker, text }, turn) => ({
                ...authorOf(speaker === conversation.client ? undefined : operators.get(speaker)),
                text,
                occurredAt: atMillis + turn * TURN_MILLIS,
                externalMessageId: id
              }))
            }),
            (chatId) => Effect.map(turnsOf(chatId), (turns) => ({ chatId, turns }))
          ),
        { concurrency: LOADS_CONCURRENCY }
      )
      return {
        conversation,
        clientId,
        /** The appeal and the message that each turn became. */
        appealOfTurn: new Map(chats.flatMap(({ chatId, turns }) => turns.map(([turn]) => [turn, chatId]))),
        turnOfMessage: new Map(chats.flatMap(({ turns }) => turns.map(([turn, message]) => [message, turn])))
      }
    })
  )
  yield* caughtUp
  return loaded
})
/** A conversation that the service has stored. */
export type LoadedConversation = Effect.Success<ReturnType<typeof loadConversations>>[number]

const authorOf = (operator: number | undefined) =>
  operator === undefined
    ? { authorType: "client" as const }
    : { authorType: "operator" as const, authorId: operator }

const makeClient = Effect.fnUntraced(function* (run: string, key: string, name: string) {
  const { clients } = yield* Client
  return yield* retryLimited(
    clients.createClient({
      headers: keyHeaders(`${run}-client-${key}`),
      payload: { name: short(name), externalId: `eval-${run}-${key}` }
    })
  )
})

/** Creates a closed chat and returns its id. */
const makeChat = Effect.fnUntraced(function* (
  key: string,
  chat: Omit<typeof ChatRequest.Type, "channel" | "status">
) {
  const { chats } = yield* Client
  const payload = { channel: "web", status: "closed", ...chat } as const
  return (yield* retryLimited(chats.createChat({ headers: keyHeaders(key), payload }))).chat.id
})

/** Creates a user for each name that answers clients; one name is one user in all conversations. */
const makeOperators = Effect.fnUntraced(function* (conversations: ReadonlyArray<Conversation>, run: string) {
  const names = new Set(
    conversations.flatMap(({ client, sessions }) =>
      sessions.flatMap(({ turns }) => turns.flatMap(({ speaker }) => (speaker === client ? [] : [speaker])))
    )
  )
  const made = yield* Effect.forEach([...names], (name, at) =>
    Effect.gen(function* () {
      const { users } = yield* Client
      const [firstName = name, ...rest] = short(name).split(/\s+/u)
      const user = yield* retryLimited(
        users.createUser({
          headers: keyHeaders(`${run}-operator-${at}`),
          payload: {
            login: `eval-${run}-${at}`,
            firstName,
            // A record of a person has a last name; data sets often have none, and a hyphen is no word.
            lastName: rest.length === 0 ? "-" : rest.join(" "),
            roles: ["operator"]
          }
        })
      )
      return [name, user.id] as const
    })
  )
  return new Map(made)
})

/** The turns of a chat with the message that each became. */
const turnsOf = Effect.fnUntraced(function* (id: number) {
  const { appeals } = yield* Client
  const turns: Array<readonly [string, number]> = []
  let cursor: string | null = null
  do {
    const query: { readonly limit: number; readonly cursor?: string } =
      cursor === null ? { limit: PageLimits.maximum } : { limit: PageLimits.maximum, cursor }
    const page = yield* retryLimited(appeals.listChatMessages({ params: { id }, query }))
    for (const { externalMessageId, id } of page.data) turns.push([externalMessageId ?? "", id])
    cursor = page.nextCursor
  } while (cursor !== null)
  return turns
})

const FIRST_UTTERANCE_MILLIS = Date.UTC(2024, 0, 1)
const UTTERANCE_MILLIS = 60_000

/** Each utterance is a closed chat of one client; all have one subject, so that they differ only in their words. */
export const loadUtterances = Effect.fn("Loading.loadUtterances")(function* (
  stored: Utterances["stored"],
  run: string
) {
  const { directory } = yield* Client
  const subject = yield* retryLimited(
    directory.createSubject({
      headers: keyHeaders(`${run}-subject`),
      payload: { name: `Evaluation ${run}`, alias: `eval-${run}` }
    })
  )
  const client = yield* makeClient(run, "utterances", "Evaluation")
  yield* Console.error(`loading ${stored.length} utterances …`)
  const appeals = yield* Effect.forEach(
    stored,
    ({ intent, row, text }) => {
      const occurredAt = FIRST_UTTERANCE_MILLIS + row * UTTERANCE_MILLIS
      const chat = makeChat(`${run}-chat-${row}`, {
        clientId: client.id,
        subjectId: subject.id,
        createdAt: occurredAt,
        messages: [{ authorType: "client", text, occurredAt }]
      })
      return Effect.map(chat, (id) => [id, intent] as const)
    },
    { concurrency: LOADS_CONCURRENCY }
  )
  yield* caughtUp
  return { subjectId: subject.id, intentOfAppeal: new Map(appeals) }
})
/** Utterances that the service has stored. */
export type LoadedUtterances = Effect.Success<ReturnType<typeof loadUtterances>>

const READY_POLL_MILLIS = 250
const READY_POLLS_MAX = (10 * 60_000) / READY_POLL_MILLIS

/** Waits until everything committed is searchable. */
const caughtUp = Effect.gen(function* () {
  const { context } = yield* Client
  yield* Console.error("waiting for the index …")
  const check = Effect.gen(function* () {
    const { indexLagMs, quarantined, searchIndex } = yield* retryLimited(context.getContextReadiness())
    if (quarantined > 0)
      yield* Effect.logWarning(`${quarantined} appeals are quarantined and cannot be found`)
    if (searchIndex === "ready" && indexLagMs === 0) return
    return yield* new IndexBehind({ message: `the search index is ${searchIndex}, ${indexLagMs} ms behind` })
  })
  yield* Effect.retry(check, { schedule: Schedule.spaced(READY_POLL_MILLIS), times: READY_POLLS_MAX })
})

const short = (name: string): string => [...name.trim()].slice(0, SHORT_TEXT_POINTS_MAX).join("")
