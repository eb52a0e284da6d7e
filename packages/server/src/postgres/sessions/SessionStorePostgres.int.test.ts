// Pages of the messages of a session, and a race for its working context (contract §5).
import { PAGE_BYTES_MAX, SESSION_MESSAGE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import type { SessionMessage, SessionMessageRequest } from "@rapport/contract/sessions/SessionsApi.ts"
import type { SequenceStretch } from "@rapport/core/lists/SequencePages.ts"
import type { PreparedWrite } from "@rapport/core/receipts/Receipts.ts"
import { SessionStore } from "@rapport/core/sessions/SessionStore.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { freshWorld, type World, writerIn, writeStores } from "../../testing/WriteWorld.ts"

const open = Effect.fnUntraced(function* (world: World) {
  const store = yield* SessionStore
  const sql = yield* SqlClient.SqlClient
  const created = store.create(writerIn(world), { clientId: world.clientIds[0] }, 1_000)
  return (yield* sql.withTransaction(created)).session
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
/** Appends a message, and returns its id. */
const add = Effect.fnUntraced(function* (
  world: World,
  id: string,
  members: Pick<SessionMessageRequest, "content"> & Partial<SessionMessageRequest>
) {
  const store = yield* SessionStore
  const [added] = yield* store.add(world.session, "context.write", [
    { session: { id }, request: { role: "client", ...members }, prepared }
  ])
  return added?._tag === "Added" ? added.message.id : assert.fail(added?._tag)
})

const bytes = (records: ReadonlyArray<SessionMessage>) =>
  new TextEncoder().encode(JSON.stringify(records)).byteLength

const after = (sequence: number) => ({ at: "after", sequence }) as const

const context = { goals: ["знайти посилку"], tasks: [{ id: 1 }], entities: [], assertions: [], sources: [] }

layer(writeStores, { excludeTestServices: true, timeout: 60_000 })("sessions", (it) => {
  it.effect("a version conflict reports the version before a concurrent write, never the expected one", () =>
    Effect.gen(function* () {
      const world = yield* freshWorld
      const store = yield* SessionStore
      const sql = yield* SqlClient.SqlClient
      const session = yield* open(world)
      const set = (expected: number) =>
        sql.withTransaction(store.setWorkingContext(writerIn(world), session.id, expected, context, 5_000))
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
      const world = yield* freshWorld
      const store = yield* SessionStore
      const session = yield* open(world)
      const ids: Array<string> = []
      for (let n = 1; n <= 9; n++) {
        ids.push(yield* add(world, session.id, { content: `${n}` }))
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
      const world = yield* freshWorld
      const store = yield* SessionStore
      const session = yield* open(world)
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
        ids.push(yield* add(world, session.id, { content, metadata: { note: "x".repeat(1_000) } }))
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
