// A context read whose query is made from a conversation (contract §3.1, "The query of a conversation").
import { assert, layer } from "@effect/vitest"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { ContextTarget } from "@rapport/contract/context/ContextRequest.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { ContextFixtures, indexInstance, readPack, sessionOf } from "../../testing/ContextFixtures.ts"
import { insertedId } from "../sql/Query.ts"

const CLIENT = 501
const ANOTHER = 502

interface Message {
  readonly by: "client" | "operator"
  readonly text: string
}
const client = (text: string): Message => ({ by: "client", text })
const operator = (text: string): Message => ({ by: "operator", text })

/** A chat without a subject and an operator, which an administrator sees and an operator does not. */
const chatOf = Effect.fnUntraced(function* (clientId: number, messages: ReadonlyArray<Message>) {
  const sql = yield* SqlClient.SqlClient
  const appealId = yield* insertedId(
    sql`insert into appeals (instance_id, kind, client_id, author_type, status, status_group, created_at, message_count)
      values (1, 'chat', ${clientId}, 'client', 'waiting', 'open', now(), ${messages.length}) returning id::float8 as id`
  )
  for (const [place, { by, text }] of messages.entries())
    yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, text, occurred_at)
      values (1, ${appealId}, ${place + 1}, ${by}, ${text}, now())`
  return appealId
})

const sessionWith = Effect.fnUntraced(function* (
  clientId: number,
  appealId: number | null,
  messages: ReadonlyArray<Message>
) {
  const sql = yield* SqlClient.SqlClient
  const id = randomUUID()
  yield* sql`insert into context_sessions (instance_id, id, client_id, status, appeal_id, message_count)
    values (1, ${id}::uuid, ${clientId}, 'open', ${appealId}, ${messages.length})`
  for (const [place, { by, text }] of messages.entries())
    yield* sql`insert into session_messages
        (instance_id, session_id, sequence, id, client_id, role, content, occurred_at)
      values (1, ${id}::uuid, ${place + 1}, ${randomUUID()}::uuid, ${clientId}, ${by}, ${text}, now())`
  return id
})

const read = (
  session: AuthorizedSession,
  conversation: object,
  targets: ReadonlyArray<ContextTarget> = ["previous_client_appeals", "relevant_appeals"]
) => readPack(session, { scope: { entity: "client", id: CLIENT }, targets, conversation, topK: 5 })
const evidenceOf = (...given: Parameters<typeof read>) =>
  Effect.map(read(...given), ({ pack }) => {
    const { evidence } = pack.sections
    assert.isDefined(evidence)
    const appeals = evidence?.appeals ?? []
    return {
      query: evidence?.query,
      appealIds: appeals.map(({ appealId }) => appealId),
      foundIds: appeals
        .filter((appeal) => appeal.targets.includes("relevant_appeals"))
        .map(({ appealId }) => appealId),
      sessionIds: (evidence?.conversations ?? []).map(({ sessionId }) => sessionId),
      texts: (evidence?.interactions ?? []).map(({ text }) => text)
    }
  })

const denialOf = (session: AuthorizedSession, conversation: object) =>
  Effect.map(Effect.flip(read(session, conversation)), (error) => ({ ...error }))

layer(ContextFixtures.layer, { excludeTestServices: true, timeout: "60 seconds" })(
  "a read within a conversation",
  (it) => {
    it.effect.each([
      ["Ukrainian", "не працює кавомолка", "Кавомолка зламалась", "кавомолки"],
      ["Russian", "сломалась газонокосилка", "Газонокосилка не заводится", "газонокосилки"],
      ["English", "my lawnmower is broken", "The lawnmower does not start", "lawnmowers"]
    ] as const)(
      "searches for what the client wrote last and leaves the conversation out: %s",
      ([, latest, before, question]) =>
        Effect.gen(function* () {
          const administrator = yield* sessionOf("administrator")
          const earlier = yield* chatOf(CLIENT, [client(before)])
          const current = yield* chatOf(CLIENT, [
            client("Добрий день"),
            operator("Hello! What happened to your grasshopper?"),
            client(latest),
            client(`???  ${question}`)
          ])
          yield* indexInstance(1)
          const found = yield* evidenceOf(administrator, { appealId: current }, ["relevant_appeals"])
          assert.strictEqual(found.query, `??? ${question} ${latest} Добрий день`)
          assert.include(found.foundIds, earlier)
          assert.notInclude(found.appealIds, current)
        })
    )

    it.effect("a session leaves out its messages, its appeal and the other sessions of that appeal", () =>
      Effect.gen(function* () {
        const administrator = yield* sessionOf("administrator")
        const appealId = yield* chatOf(CLIENT, [client("диктофон не пише")])
        const kept = yield* sessionWith(CLIENT, null, [client("інша розмова про диктофон")])
        const sessionId = yield* sessionWith(CLIENT, appealId, [
          client("де мій диктофон"),
          operator("шукаємо")
        ])
        const twin = yield* sessionWith(CLIENT, appealId, [client("та сама розмова")])
        yield* indexInstance(1)
        const targets = ["previous_client_conversations", "recent_client_interactions"] as const
        for (const conversation of [{ sessionId }, { appealId }]) {
          const found = yield* evidenceOf(administrator, conversation, targets)
          assert.include(found.sessionIds, kept)
          assert.isTrue(found.texts.includes("інша розмова про диктофон"))
          assert.notIncludeMembers(found.sessionIds, [sessionId, twin])
          assert.isFalse(found.texts.some((text) => ["де мій диктофон", "та сама розмова"].includes(text)))
          assert.notInclude((yield* evidenceOf(administrator, conversation)).appealIds, appealId)
        }
        assert.strictEqual((yield* evidenceOf(administrator, { sessionId })).query, "де мій диктофон")
        assert.include((yield* evidenceOf(administrator, { sessionId: kept }, targets)).sessionIds, sessionId)
      })
    )

    it.effect("a conversation in which the client wrote nothing reads as without a query", () =>
      Effect.gen(function* () {
        const administrator = yield* sessionOf("administrator")
        const silent = yield* chatOf(CLIENT, [operator("Чи все гаразд?")])
        yield* indexInstance(1)
        const found = yield* evidenceOf(administrator, { appealId: silent })
        assert.isUndefined(found.query)
        assert.deepStrictEqual(found.foundIds, [])
        assert.isAbove(found.appealIds.length, 0)
        assert.notInclude(found.appealIds, silent)
      })
    )

    it.effect("an unknown, a foreign and a hidden conversation are denied alike", () =>
      Effect.gen(function* () {
        const [administrator, reader, other] = [
          yield* sessionOf("administrator"),
          yield* sessionOf("operator"),
          yield* sessionOf("other.administrator")
        ]
        const own = yield* chatOf(CLIENT, [client("рахунок")])
        const ofOther = yield* chatOf(ANOTHER, [client("рахунок")])
        const hiddenSession = yield* sessionWith(CLIENT, own, [client("рахунок")])
        const sessionOfOther = yield* sessionWith(ANOTHER, null, [client("рахунок")])
        yield* indexInstance(1)
        assert.strictEqual((yield* evidenceOf(administrator, { appealId: own })).query, "рахунок")
        yield* readPack(reader, { scope: { entity: "client", id: CLIENT }, sections: ["properties"] })
        const unknown = yield* denialOf(administrator, { appealId: 999_999_999 })
        assert.strictEqual(Reflect.get(unknown, "code"), "ACCESS_DENIED")
        assert.deepStrictEqual(yield* denialOf(administrator, { sessionId: randomUUID() }), unknown)
        assert.deepStrictEqual(yield* denialOf(administrator, { appealId: ofOther }), unknown)
        assert.deepStrictEqual(yield* denialOf(administrator, { sessionId: sessionOfOther }), unknown)
        assert.deepStrictEqual(yield* denialOf(reader, { appealId: own }), unknown)
        assert.deepStrictEqual(yield* denialOf(reader, { sessionId: hiddenSession }), unknown)
        assert.deepStrictEqual(yield* denialOf(other, { appealId: own }), unknown)
        const ofSubject = {
          scope: { entity: "subject", id: 12 },
          targets: ["relevant_subject_appeals"],
          conversation: { appealId: own }
        }
        assert.strictEqual(
          (yield* readPack(administrator, ofSubject)).pack.sections.evidence?.query,
          "рахунок"
        )
      })
    )

    it.effect("the query is part of the pack: new words of the client change its hash", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const administrator = yield* sessionOf("administrator")
        const appealId = yield* chatOf(CLIENT, [client("пральна машина")])
        yield* indexInstance(1)
        const hash = Effect.map(read(administrator, { appealId }), ({ pack }) => pack.packHash)
        const before = yield* hash
        assert.strictEqual(yield* hash, before)
        yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, text, occurred_at)
          values (1, ${appealId}, 2, 'client', 'вже не треба', now())`
        assert.notStrictEqual(yield* hash, before)
      })
    )
  }
)
