// Loads a data set through the routes of the service, under idempotency keys that are made from its text.
import { Client } from "@rapport/contract/Client.ts"
import { PageLimits, SHORT_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { Console, Data, Effect, Schedule } from "effect"
import { createHash } from "node:crypto"
import { retryLimited } from "./Account.ts"
import type { Conversation, Conversations, Session, Utterances } from "./Dataset.ts"

/** A conversation that the service has stored. */
export interface LoadedConversation {
  readonly conversation: Conversation
  readonly clientId: number
  /** The appeal and the message that each turn became. */
  readonly appealOfTurn: ReadonlyMap<string, number>
  readonly turnOfMessage: ReadonlyMap<number, string>
}

/** Utterances that the service has stored. */
export interface LoadedUtterances {
  readonly subjectId: number
  readonly intentOfAppeal: ReadonlyMap<number, string>
}

/** The index did not catch up. */
export class IndexBehind extends Data.TaggedError("IndexBehind")<{ readonly message: string }> {}

/** Parallel writes. */
const LOADS_CONCURRENCY = 4
const TURN_MILLIS = 30_000
const CHANNEL = "web"

/** Distinguishes data, so that the same text is loaded once into an instance. */
export const runOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12)

const keyed = (run: string, name: string) => ({ "idempotency-key": `eval-${run}-${name}` })

/** Ends when everything is searchable. Data loaded within the lifetime of the keys is not loaded again. */
export const loadConversations = Effect.fn("Loading.conversations")(function* (
  { conversations }: Conversations,
  run: string
) {
  const operators = yield* makeOperators(conversations, run)
  const sessions = conversations.reduce((sum, { sessions }) => sum + sessions.length, 0)
  yield* Console.error(`loading ${sessions} sessions …`)
  const loaded = yield* Effect.forEach(conversations, (conversation, at) =>
    Effect.gen(function* () {
      const { clients } = yield* Client
      const made = yield* retryLimited(
        clients.createClient({
          headers: keyed(run, `client-${at}`),
          payload: { name: short(conversation.client), externalId: `eval-${run}-${at}` }
        })
      )
      const loaded = yield* Effect.forEach(
        conversation.sessions,
        (session, number) =>
          loadSession({ session, conversation, clientId: made.id, operators, run, name: `${at}-${number}` }),
        { concurrency: LOADS_CONCURRENCY }
      )
      return {
        conversation,
        clientId: made.id,
        appealOfTurn: new Map(
          loaded.flatMap(({ appealId, turns }) => turns.map(([turn]) => [turn, appealId]))
        ),
        turnOfMessage: new Map(loaded.flatMap(({ turns }) => turns.map(([turn, message]) => [message, turn])))
      }
    })
  )
  yield* caughtUp
  return loaded satisfies ReadonlyArray<LoadedConversation>
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
          headers: keyed(run, `operator-${at}`),
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

interface SessionLoad {
  readonly session: Session
  readonly conversation: Conversation
  readonly clientId: number
  readonly operators: ReadonlyMap<string, number>
  readonly run: string
  readonly name: string
}

/** Creates a closed chat. Returns the message that each turn became. */
const loadSession = Effect.fnUntraced(function* (load: SessionLoad) {
  const { clientId, conversation, name, operators, run, session } = load
  const { appeals, chats } = yield* Client
  const { chat } = yield* retryLimited(
    chats.createChat({
      headers: keyed(run, `chat-${name}`),
      payload: {
        clientId,
        channel: CHANNEL,
        status: "closed",
        createdAt: session.atMillis,
        messages: session.turns.map(({ id, speaker, text }, at) => {
          const authorId = operators.get(speaker)
          return {
            ...(speaker === conversation.client || authorId === undefined
              ? { authorType: "client" as const }
              : { authorType: "operator" as const, authorId }),
            text,
            occurredAt: session.atMillis + at * TURN_MILLIS,
            externalMessageId: id
          }
        })
      }
    })
  )
  const turns: Array<readonly [string, number]> = []
  let cursor: string | null = null
  do {
    const query: { readonly limit: number; readonly cursor?: string } =
      cursor === null ? { limit: PageLimits.maximum } : { limit: PageLimits.maximum, cursor }
    const page = yield* retryLimited(appeals.listChatMessages({ params: { id: chat.id }, query }))
    for (const { externalMessageId, id } of page.data) turns.push([externalMessageId ?? "", id])
    cursor = page.nextCursor
  } while (cursor !== null)
  return { appealId: chat.id, turns }
})

const FIRST_UTTERANCE_MILLIS = Date.UTC(2024, 0, 1)
const UTTERANCE_MILLIS = 60_000

/** Each utterance is a closed chat of one client; all have one subject, so that they differ only in their words. */
export const loadUtterances = Effect.fn("Loading.utterances")(function* (
  { stored }: Utterances,
  run: string
) {
  const { chats, clients, directory } = yield* Client
  const subject = yield* retryLimited(
    directory.createSubject({
      headers: keyed(run, "subject"),
      payload: { name: `Evaluation ${run}`, alias: `eval-${run}` }
    })
  )
  const client = yield* retryLimited(
    clients.createClient({
      headers: keyed(run, "client"),
      payload: { name: "Evaluation", externalId: `eval-${run}` }
    })
  )
  yield* Console.error(`loading ${stored.length} utterances …`)
  const appeals = yield* Effect.forEach(
    stored,
    ({ intent, row, text }) =>
      Effect.gen(function* () {
        const occurredAt = FIRST_UTTERANCE_MILLIS + row * UTTERANCE_MILLIS
        const { chat } = yield* retryLimited(
          chats.createChat({
            headers: keyed(run, `chat-${row}`),
            payload: {
              clientId: client.id,
              channel: CHANNEL,
              subjectId: subject.id,
              status: "closed",
              createdAt: occurredAt,
              messages: [{ authorType: "client", text, occurredAt }]
            }
          })
        )
        return [chat.id, intent] as const
      }),
    { concurrency: LOADS_CONCURRENCY }
  )
  yield* caughtUp
  return { subjectId: subject.id, intentOfAppeal: new Map(appeals) } satisfies LoadedUtterances
})

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
