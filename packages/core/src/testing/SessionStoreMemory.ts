// Sessions in memory: what a model is compared with, held to SessionStoreLaws; everything is visible to everybody.
import { VersionConflict } from "@rapport/contract/Errors.ts"
import type { ContextSession, SessionMessage } from "@rapport/contract/sessions/SessionsApi.ts"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Caller } from "../access/Caller.ts"
import { canonicalJson } from "../json/CanonicalJson.ts"
import { pageWithin, type SequenceFound, type SequenceStretch } from "../lists/SequencePages.ts"
import { type SessionMessageOutcome, type SessionMessageRow, SessionStore } from "../sessions/SessionStore.ts"
import { receiptKey, TransactionsMemory, withRow } from "./TransactionsMemory.ts"

const rowKey = (instanceId: number, id: string): string => `${instanceId}/${id}`

export const layer: Layer.Layer<SessionStore, never, TransactionsMemory | SecureRandom.SecureRandom> =
  Layer.effect(
    SessionStore,
    Effect.gen(function* () {
      const transactions = yield* TransactionsMemory
      const random = yield* SecureRandom.SecureRandom
      const get = Effect.fnUntraced(function* (instanceId: number, id: string) {
        const { messages, sessions } = yield* transactions.read
        const session = sessions.get(rowKey(instanceId, id))
        if (session === undefined) return yield* Effect.die(`session ${id} is gone`)
        return { session, messages: messages.get(session.id) ?? [] }
      })
      const keep = (instanceId: number, session: ContextSession) =>
        transactions.write(({ sessions }) => ({
          sessions: withRow(sessions, rowKey(instanceId, session.id), session)
        }))
      const findNamed = (instanceId: number, externalSessionId: string) =>
        Effect.map(transactions.read, ({ sessions }) =>
          [...sessions]
            .filter(
              ([key, session]) =>
                key.startsWith(`${instanceId}/`) && session.externalSessionId === externalSessionId
            )
            .map(([, session]) => session)
            .toSorted(
              (a, b) => Number(a.status !== "open") - Number(b.status !== "open") || b.createdAt - a.createdAt
            )
            .at(0)
        )
      const findOpen = (instanceId: number, externalSessionId: string) =>
        Effect.map(
          transactions.read,
          ({ sessions }) =>
            [...sessions].find(
              ([key, session]) =>
                key.startsWith(`${instanceId}/`) &&
                session.status === "open" &&
                session.externalSessionId === externalSessionId
            )?.[1]
        )

      const addRow = Effect.fnUntraced(function* (
        caller: Caller,
        { prepared: { key, receipt }, request, session: named }: SessionMessageRow
      ): Effect.fn.Return<SessionMessageOutcome> {
        const { instanceId } = caller
        const { committedAt, fingerprint, operation } = receipt
        const keyRow = key === null ? null : receiptKey({ caller, operation, key })
        const session =
          "id" in named
            ? (yield* transactions.read).sessions.get(rowKey(instanceId, named.id))
            : yield* findNamed(instanceId, named.externalId)
        if (session === undefined) return { _tag: "NotFound" }
        const { messages: all, receipts } = yield* transactions.read
        const messages = all.get(session.id) ?? []
        const kept = keyRow === null ? undefined : receipts.get(keyRow)
        if (kept !== undefined) {
          const message = messages.find(({ id }) => canonicalJson(kept.answer) === canonicalJson({ id }))
          return kept.fingerprint === fingerprint && message !== undefined
            ? { _tag: "Replayed", message }
            : { _tag: "KeyReused" }
        }
        const external = request.externalMessageId ?? null
        const known = messages.find((message) => external !== null && message.externalMessageId === external)
        if (known !== undefined) return { _tag: "Known", message: known }
        if (session.status === "closed") return { _tag: "Closed" }
        const message: SessionMessage = {
          id: yield* random.uuidV7(),
          sessionId: session.id,
          sequence: session.messageCount + 1,
          role: request.role,
          content: request.content,
          externalMessageId: external,
          metadata: request.metadata ?? null,
          occurredAt: request.occurredAt ?? committedAt,
          recordedAt: committedAt
        }
        yield* keep(instanceId, { ...session, messageCount: message.sequence })
        yield* transactions.write((tables) => ({
          messages: withRow(tables.messages, session.id, [...messages, message]),
          receipts:
            keyRow === null
              ? tables.receipts
              : withRow(tables.receipts, keyRow, { fingerprint, answer: { id: message.id }, committedAt })
        }))
        return { _tag: "Added", message }
      })

      return SessionStore.of({
        resolve: (_session, _access, { clientId }) => Effect.succeed({ clientId, appeal: true }),

        lockClient: (_instanceId, clientId) => Effect.succeed(clientId),

        create: Effect.fnUntraced(function* ({ session: { instanceId } }, request, now) {
          const { externalSessionId = null } = request
          const open = externalSessionId === null ? undefined : yield* findOpen(instanceId, externalSessionId)
          if (open !== undefined) return { isCreated: false, session: open }
          const session: ContextSession = {
            id: yield* random.uuidV7(),
            clientId: request.clientId,
            status: "open",
            externalSessionId,
            channel: request.channel ?? null,
            appealId: request.appealId ?? null,
            metadata: request.metadata ?? null,
            messageCount: 0,
            workingContext: null,
            workingContextVersion: 0,
            createdAt: now,
            closedAt: null
          }
          yield* keep(instanceId, session)
          return { isCreated: true, session }
        }),

        find: ({ instanceId }, _access, id) =>
          Effect.map(transactions.read, ({ sessions }) => sessions.get(rowKey(instanceId, id))),
        add: (writer, _access, rows) =>
          Effect.forEach(rows, (row) => transactions.run(addRow(writer.session, row))),

        close: Effect.fnUntraced(function* ({ session: { instanceId } }, id, _reason, now) {
          const { session } = yield* get(instanceId, id)
          if (session.status === "closed") return { closed: false, session }
          const closed: ContextSession = { ...session, status: "closed", closedAt: now }
          yield* keep(instanceId, closed)
          return { closed: true, session: closed }
        }),

        setWorkingContext: Effect.fnUntraced(function* (
          { session: { instanceId } },
          id,
          expectedVersion,
          workingContext,
          now
        ) {
          const { session } = yield* get(instanceId, id)
          if (session.status === "closed") return "closed" as const
          if (session.workingContextVersion !== expectedVersion)
            return yield* new VersionConflict({ currentVersion: session.workingContextVersion })
          const version = expectedVersion + 1
          yield* keep(instanceId, { ...session, workingContext, workingContextVersion: version })
          return { sessionId: id, version, workingContext, updatedAt: now }
        }),

        messages: (_instanceId, id, stretch) =>
          Effect.map(transactions.read, ({ messages }) => pageOf(messages.get(id) ?? [], stretch))
      })
    })
  )

/** Sequences have no gap, so a place in the order is a number. */
const pageOf = (
  messages: ReadonlyArray<SessionMessage>,
  { limit, order, start }: SequenceStretch<string>
): SequenceFound<SessionMessage> | undefined => {
  const ascending = order === "asc"
  const ordered = ascending ? messages : messages.toReversed()
  const from = (sequence: number) => (ascending ? sequence - 1 : messages.length - sequence)
  const stretch = (begin: number, near: number): SequenceFound<SessionMessage> => {
    const within = ordered.slice(begin, begin + limit)
    const [first, end] = pageWithin(within.map(bytesOf), near)
    return { records: within.slice(first, end), more: begin + end < ordered.length }
  }
  switch (start.at) {
    case "end":
      return stretch(0, 0)
    case "after":
      return stretch(from(start.sequence) + 1, 0)
    case "around": {
      const middle = messages.find(({ id }) => id === start.messageId)
      if (middle === undefined) return undefined
      const first = Math.max(
        1,
        Math.min(middle.sequence - Math.floor((limit - 1) / 2), messages.length - limit + 1)
      )
      const begin = ascending ? from(first) : Math.max(0, from(first + limit - 1))
      return stretch(begin, from(middle.sequence) - begin)
    }
  }
}

const encoder = new TextEncoder()
const bytesOf = (message: SessionMessage): number => encoder.encode(JSON.stringify(message)).byteLength + 1
