// The promises of contract §5 as laws for a store of sessions.
import { PAGE_BYTES_MAX, SESSION_MESSAGE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import type {
  SessionMessage,
  SessionMessageRequest,
  SessionRequest
} from "@rapport/contract/sessions/SessionsApi.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { SequenceStretch } from "../lists/SequencePages.ts"
import { type PreparedWrite, Receipts } from "../receipts/Receipts.ts"
import { type SessionMessageRow, SessionStore } from "../sessions/SessionStore.ts"
import type { WriteStores } from "./WriteWorld.ts"
import { inTransaction, type World, writerIn, WriteWorld } from "./WriteWorld.ts"

const open = Effect.fnUntraced(function* (world: World, members: Partial<SessionRequest> = {}) {
  const store = yield* SessionStore
  const request = { clientId: world.clientIds[0], ...members }
  return yield* inTransaction(world, store.create(writerIn(world), request, 1_000))
})
const add = Effect.fnUntraced(function* (
  world: World,
  id: string,
  members: Partial<SessionMessageRequest> = {}
) {
  return yield* addRow(world, { session: { id }, request: { ...message, ...members } })
})
const prepared: PreparedWrite = {
  receipt: {
    id: "01999999-0000-7000-8000-000000000002",
    operation: "law",
    fingerprint: "law",
    committedAt: 2_000
  },
  key: null,
  refusal: null
}
const message: SessionMessageRequest = { role: "client", content: "Доброго дня" }
const addRow = Effect.fnUntraced(function* (
  world: World,
  row: Pick<SessionMessageRow, "session"> & Partial<SessionMessageRow>
) {
  const store = yield* SessionStore
  const [outcome] = yield* store.add(writerIn(world), "context.write", [
    { request: message, prepared, ...row }
  ])
  return outcome ?? assert.fail("a row without an outcome")
})
const rowFor = (id: string, content: string, members: Partial<SessionMessageRow> = {}) => ({
  session: { id },
  request: { ...message, content },
  prepared,
  ...members
})
const named = (content: string) => ({ request: { ...message, content, externalMessageId: "m-1" } })
/** Appends a message to the session with the external id, and returns the id of that session. */
const addNamed = (world: World, externalId: string) =>
  Effect.map(addRow(world, { session: { externalId } }), (outcome) =>
    "message" in outcome ? outcome.message.sessionId : outcome._tag
  )
const close = Effect.fnUntraced(function* (world: World, id: string, now = 3_000) {
  const store = yield* SessionStore
  return yield* inTransaction(world, store.close(writerIn(world), id, "досить", now))
})
const find = (world: World, id: string) =>
  Effect.flatMap(SessionStore, (store) => store.find(world.session, "context.read", id))

const bytes = (records: ReadonlyArray<SessionMessage>) =>
  new TextEncoder().encode(JSON.stringify(records)).byteLength

const after = (sequence: number) => ({ at: "after", sequence }) as const

const context = { goals: ["знайти посилку"], tasks: [{ id: 1 }], entities: [], assertions: [], sources: [] }

/** Registers the laws for one implementation. */
export const sessionStoreLaws = <E>(name: string, stores: Layer.Layer<WriteStores, E>): void =>
  layer(stores, { excludeTestServices: true, timeout: 60_000 })(`SessionStore: ${name}`, (it) => {
    it.effect("an external id names one open session, and after its close a new one", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const first = yield* open(world, { externalSessionId: "s-1", channel: "web", metadata: { a: 1 } })
        assert.deepStrictEqual(first, {
          isCreated: true,
          session: {
            id: first.session.id,
            clientId: world.clientIds[0],
            status: "open",
            externalSessionId: "s-1",
            channel: "web",
            appealId: null,
            metadata: { a: 1 },
            messageCount: 0,
            workingContext: null,
            workingContextVersion: 0,
            createdAt: 1_000,
            closedAt: null
          }
        })
        const again = yield* open(world, { externalSessionId: "s-1", clientId: world.clientIds[1] })
        assert.deepStrictEqual(again, { isCreated: false, session: first.session })
        assert.strictEqual(yield* addNamed(world, "s-1"), first.session.id)
        yield* close(world, first.session.id)
        assert.strictEqual(yield* addNamed(world, "s-1"), "Closed")
        const next = yield* open(world, { externalSessionId: "s-1" })
        assert.isTrue(next.isCreated)
        assert.notStrictEqual(next.session.id, first.session.id)
        assert.strictEqual(yield* addNamed(world, "s-1"), next.session.id)
      })
    )

    it.effect(
      "a request without external id opens a new session, and external ids belong to their instance",
      () =>
        Effect.gen(function* () {
          const { fresh } = yield* WriteWorld
          const [world, elsewhere] = [yield* fresh, yield* fresh]
          assert.isTrue((yield* open(world)).isCreated)
          assert.isTrue((yield* open(world)).isCreated)
          const { session } = yield* open(world, { externalSessionId: "s-1" })
          assert.isTrue((yield* open(elsewhere, { externalSessionId: "s-1" })).isCreated)
          assert.isUndefined(yield* find(elsewhere, session.id))
        })
    )

    it.effect("sequences begin at 1 without gaps, and an external id names one message of its session", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const [{ session }, { session: other }] = [yield* open(world), yield* open(world)]
        const first = yield* add(world, session.id, { externalMessageId: "m-1", metadata: { a: [1] } })
        assert.strictEqual(first._tag, "Added")
        const again = yield* add(world, session.id, { externalMessageId: "m-1", content: "інше" })
        assert.deepStrictEqual(again, { ...first, _tag: "Known" })
        const second = yield* add(world, session.id, { occurredAt: 500 })
        const elsewhere = yield* add(world, other.id, { externalMessageId: "m-1" })
        for (const [added, sequence, occurredAt] of [
          [first, 1, 2_000],
          [second, 2, 500],
          [elsewhere, 1, 2_000]
        ] as const) {
          if (!("message" in added)) assert.fail(added._tag)
          else assert.deepInclude(added.message, { sequence, occurredAt, recordedAt: 2_000 })
        }
        assert.strictEqual((yield* find(world, session.id))?.messageCount, 2)
      })
    )

    it.effect("each message of a batch has its outcome, and an equal key replays", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const [store, receipts] = [yield* SessionStore, yield* Receipts]
        const [{ session }, { session: other }] = [yield* open(world), yield* open(world)]
        yield* close(world, other.id)
        const under = (key: string, content: string) => {
          const command = { operation: "law", pathIds: [session.id], content }
          return receipts.prepare({ caller: world.session, command, key })
        }
        const rows = [
          rowFor(session.id, "one", { prepared: yield* under("k-1", "one") }),
          rowFor(other.id, "closed"),
          rowFor(session.id, "", named("two")),
          rowFor("01999999-0000-7000-8000-000000000001", "nowhere"),
          rowFor(session.id, "", named("two again")),
          rowFor(session.id, "three")
        ]
        const outcomes = yield* store.add(writerIn(world), "context.write", rows)
        const seen = (found: typeof outcomes) =>
          found.map((outcome) =>
            "message" in outcome
              ? [outcome._tag, outcome.message.sequence, outcome.message.content]
              : outcome._tag
          )
        const known = ["Known", 2, "two"]
        assert.deepStrictEqual(seen(outcomes).slice(0, 5), [
          ["Added", 1, "one"],
          "Closed",
          ["Added", 2, "two"],
          "NotFound",
          known
        ])
        assert.deepStrictEqual(seen(outcomes)[5], ["Added", 3, "three"])
        const repeated = yield* store.add(writerIn(world), "context.write", [
          rowFor(session.id, "one", { prepared: yield* under("k-1", "one") }),
          rowFor(session.id, "four", { prepared: yield* under("k-1", "four") }),
          rowFor(session.id, "", named("two"))
        ])
        assert.deepStrictEqual(seen(repeated), [["Replayed", 1, "one"], "KeyReused", known])
        assert.strictEqual((yield* find(world, session.id))?.messageCount, 3)
      })
    )

    it.effect("a closed session refuses messages and working contexts, but replays known messages", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const store = yield* SessionStore
        const { session } = yield* open(world)
        const first = yield* add(world, session.id, { externalMessageId: "m-1" })
        const closed = yield* close(world, session.id, 3_000)
        assert.deepInclude(closed.session, { status: "closed", closedAt: 3_000, messageCount: 1 })
        assert.isTrue(closed.closed)
        const again = yield* close(world, session.id, 4_000)
        assert.deepStrictEqual(again, { closed: false, session: closed.session })
        assert.strictEqual((yield* add(world, session.id))._tag, "Closed")
        const known = yield* add(world, session.id, { externalMessageId: "m-1" })
        assert.deepStrictEqual(known, { ...first, _tag: "Known" })
        const set = store.setWorkingContext(writerIn(world), session.id, 0, context, 5_000)
        assert.strictEqual(yield* inTransaction(world, set), "closed")
      })
    )

    it.effect("a working context is written only with its current version", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const store = yield* SessionStore
        const { session } = yield* open(world)
        const set = (expected: number, goals: ReadonlyArray<string>) =>
          inTransaction(
            world,
            store.setWorkingContext(writerIn(world), session.id, expected, { ...context, goals }, 5_000)
          )
        const refusal = yield* Effect.flip(set(1, []))
        assert.deepInclude(refusal, { _tag: "VersionConflict", currentVersion: 0 })
        assert.deepStrictEqual(yield* set(0, ["a"]), {
          sessionId: session.id,
          version: 1,
          workingContext: { ...context, goals: ["a"] },
          updatedAt: 5_000
        })
        yield* set(1, ["b"])
        assert.deepInclude(yield* Effect.flip(set(1, ["c"])), { _tag: "VersionConflict", currentVersion: 2 })
        const found = yield* find(world, session.id)
        assert.deepInclude(found, { workingContextVersion: 2, workingContext: { ...context, goals: ["b"] } })
      })
    )

    it.effect(
      "a version conflict reports the version before a concurrent write, never the expected one",
      () =>
        Effect.gen(function* () {
          const world = yield* (yield* WriteWorld).fresh
          const store = yield* SessionStore
          const { session } = yield* open(world)
          const set = (expected: number) =>
            inTransaction(
              world,
              store.setWorkingContext(writerIn(world), session.id, expected, context, 5_000)
            )
          for (let version = 0; version < 100; version += 2) {
            const [, behind] = yield* Effect.all([set(version), Effect.result(set(version + 1))], {
              concurrency: 2
            })
            if (behind._tag === "Success") continue
            assert.deepInclude(behind.failure, { _tag: "VersionConflict", currentVersion: version })
            yield* set(version + 1)
          }
        })
    )

    it.effect("pages begin at either end, after a sequence, or around a message", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const store = yield* SessionStore
        const { session } = yield* open(world)
        const ids: Array<string> = []
        for (let n = 1; n <= 9; n++) {
          const added = yield* add(world, session.id, { content: `${n}` })
          if (added._tag === "Added") ids.push(added.message.id)
        }
        const page = (stretch: SequenceStretch<string>) =>
          Effect.map(
            store.messages(world.session.instanceId, session.id, stretch),
            (found) =>
              found && [...found.records.map(({ sequence }) => sequence), ...(found.more ? ["more"] : [])]
          )
        const end = { at: "end" } as const
        const around = (n: number) => ({ at: "around", messageId: ids[n - 1] ?? "" }) as const
        for (const [order, start, limit, expected] of [
          ["asc", end, 3, [1, 2, 3, "more"]],
          ["desc", end, 3, [9, 8, 7, "more"]],
          ["asc", after(3), 3, [4, 5, 6, "more"]],
          ["desc", after(3), 3, [2, 1]],
          ["asc", after(9), 3, []],
          ["asc", around(5), 3, [4, 5, 6, "more"]],
          ["desc", around(5), 3, [6, 5, 4, "more"]],
          ["asc", around(5), 4, [4, 5, 6, 7, "more"]],
          ["asc", around(1), 3, [1, 2, 3, "more"]],
          ["desc", around(1), 3, [3, 2, 1]],
          ["asc", around(9), 3, [7, 8, 9]],
          ["desc", around(9), 3, [9, 8, 7, "more"]],
          ["asc", around(5), 100, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
          ["desc", around(5), 100, [9, 8, 7, 6, 5, 4, 3, 2, 1]]
        ] as const)
          assert.deepStrictEqual(
            yield* page({ order, start, limit }),
            [...expected],
            JSON.stringify([order, start, limit])
          )
        const foreign = { at: "around", messageId: session.id } as const
        assert.isUndefined(yield* page({ order: "asc", start: foreign, limit: 3 }))
      })
    )

    it.effect("a page has at most 1 MiB or one message, and the pages have every message once", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const store = yield* SessionStore
        const { session } = yield* open(world)
        const short = SESSION_MESSAGE_BYTES_MAX / 4
        const ids: Array<string> = []
        for (const content of [
          "ї".repeat(SESSION_MESSAGE_BYTES_MAX / 2),
          "a".repeat(SESSION_MESSAGE_BYTES_MAX),
          '"\n'.repeat(short),
          ...["п'ять", "пять", "five"].map((word) => word.repeat(Math.floor(short / 10))),
          "ы".repeat(short),
          "1",
          "2"
        ]) {
          const added = yield* add(world, session.id, { content, metadata: { note: "x".repeat(1_000) } })
          if (added._tag === "Added") ids.push(added.message.id)
        }
        const page = (stretch: SequenceStretch<string>) =>
          store.messages(world.session.instanceId, session.id, stretch)
        for (const order of ["asc", "desc"] as const) {
          const read: Array<number> = []
          let found = yield* page({ order, start: { at: "end" }, limit: 100 })
          for (;;) {
            const records = found?.records ?? []
            assert.isNotEmpty(records)
            if (records.length > 1) assert.isAtMost(bytes(records), PAGE_BYTES_MAX - 4_096)
            read.push(...records.map(({ sequence }) => sequence))
            if (found?.more !== true) break
            found = yield* page({ order, start: after(read.at(-1) ?? 0), limit: 100 })
          }
          const all = ids.map((_, i) => i + 1)
          assert.deepStrictEqual(read, order === "asc" ? all : all.toReversed())
          for (const [i, messageId] of ids.entries()) {
            const around = yield* page({ order, start: { at: "around", messageId }, limit: 100 })
            const records = around?.records ?? []
            const sequences = records.map(({ sequence }) => sequence)
            assert.include(sequences, i + 1)
            if (records.length > 1) assert.isAtMost(bytes(records), PAGE_BYTES_MAX - 4_096)
            const step = order === "asc" ? 1 : -1
            assert.isTrue(sequences.every((n, at) => at === 0 || n - (sequences[at - 1] ?? 0) === step))
            const end = order === "asc" ? ids.length : 1
            assert.strictEqual(around?.more, sequences.at(-1) !== end)
          }
        }
      })
    )
  })
