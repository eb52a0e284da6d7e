// Transcripts on a real PostgreSQL, by contract §7 "Transcripts".
import { assert, layer } from "@effect/vitest"
import type { TranscriptQuery } from "@rapport/contract/appeals/AppealsApi.ts"
import { PageLimits } from "@rapport/contract/Limits.ts"
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import { Effect, Layer } from "effect"
import { sessionOf } from "../../testing/ContextFixtures.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { makeStores } from "../../testing/StoreFixtures.ts"
import { temporaryFileStorage } from "../../testing/FileFixtures.ts"

const TestLayer = AppealMessages.layer.pipe(
  Layer.provide(makeStores()),
  Layer.provide(temporaryFileStorage),
  Layer.provideMerge(PostgresFixtures.small)
)

/** A page of a transcript as an administrator reads it. */
const list = (kind: "chat" | "ticket", id: number, query: TranscriptQuery) =>
  Effect.flatMap(AppealMessages, (messages) =>
    Effect.flatMap(sessionOf("administrator"), (session) => messages.list(session, kind, id, query))
  )
const sequences = ({ data }: { readonly data: ReadonlyArray<{ readonly sequence: number }> }) =>
  data.map(({ sequence }) => sequence)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

layer(TestLayer, { timeout: "120 seconds" })("Transcripts (contract §7)", (it) => {
  it.effect("a transcript has gapless pages of at most 100, 50 by default, ascending by sequence", () =>
    Effect.gen(function* () {
      const first = yield* list("chat", 9001, {})
      assert.strictEqual(first.limit, PageLimits.default)
      assert.deepStrictEqual(sequences(first), range(1, 50))
      let page = yield* list("chat", 9001, { limit: 100 })
      const all = [...sequences(page)]
      while (page.nextCursor !== null) {
        page = yield* list("chat", 9001, { limit: 100, cursor: page.nextCursor })
        all.push(...sequences(page))
      }
      assert.isFalse(page.hasMore)
      assert.deepStrictEqual(all, range(1, 1001))
    })
  )

  it.effect("a transcript with order=desc begins with the last message", () =>
    Effect.gen(function* () {
      const page = yield* list("chat", 9001, { limit: 3, order: "desc" })
      assert.deepStrictEqual(sequences(page), [1001, 1000, 999])
      const next = yield* list("chat", 9001, {
        limit: 2,
        order: "desc",
        cursor: page.nextCursor ?? ""
      })
      assert.deepStrictEqual(sequences(next), [998, 997])
    })
  )

  it.effect("a transcript cursor of another appeal or order, or with around, is INVALID_REQUEST", () =>
    Effect.gen(function* () {
      const { nextCursor } = yield* list("chat", 9001, { limit: 1 })
      const cursor = nextCursor ?? ""
      for (const [appealId, query] of [
        [9002, { cursor }],
        [9001, { cursor, order: "desc" }],
        [9001, { cursor: "bogus" }],
        [9001, { cursor, around: { id: 1, version: 1 } }]
      ] as const) {
        const error = yield* Effect.flip(list("chat", appealId, query))
        assert.strictEqual(error._tag, "InvalidRequest")
      }
    })
  )

  it.effect("a transcript of an unknown or other appeal's message is one NOT_FOUND", () =>
    Effect.gen(function* () {
      const failures = [
        yield* Effect.flip(list("chat", 987_654_321, {})),
        yield* Effect.flip(list("ticket", 9001, {})),
        yield* Effect.flip(list("chat", 9001, { around: { id: 987_654_321, version: 1 } }))
      ]
      for (const error of failures) {
        assert.strictEqual(error._tag, "NotFound")
        assert.strictEqual(error.detail, failures[0]?.detail)
      }
    })
  )
})
