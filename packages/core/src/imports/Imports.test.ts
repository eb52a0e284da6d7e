// Imports (contract §1.1, §5): who is counted, and a database that goes away: 503, and the same key goes on later.
import { assert, it } from "@effect/vitest"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { QuotaExceeded, RateLimited } from "@rapport/contract/Errors.ts"
import { Effect, Layer } from "effect"
import { WriteCapacity } from "../capacity/WriteCapacity.ts"
import { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { writeStoresMemory } from "../testing/WriteWorldMemory.ts"
import { WriteWorld } from "../testing/WriteWorld.ts"
import { Imports } from "./Imports.ts"
import { ImportStore } from "./ImportStore.ts"

const away = Effect.fail(new SourceUnavailable({ source: "database", reason: "database_unavailable" }))

type Operation = "open" | "advance" | "find"

/** The store of the memory, of which one operation fails at its first call. */
const awayOnce = (operation: Operation) =>
  Layer.effect(
    ImportStore,
    Effect.gen(function* () {
      const store = yield* ImportStore
      let isAway = true
      const answering = <A, E, R>(name: Operation, answer: Effect.Effect<A, E, R>) =>
        Effect.suspend((): Effect.Effect<A, E | SourceUnavailable, R> => {
          if (name !== operation || !isAway) return answer
          isAway = false
          return away
        })
      return ImportStore.of({
        ...store,
        open: (...args) => answering("open", store.open(...args)),
        find: (...args) => answering("find", store.find(...args)),
        advance: (...args) => answering("advance", store.advance(...args))
      })
    })
  )

const bulky = "слово ".repeat(400_000)

it.effect("import items are counted after size and permission are checked, before anything is written", () =>
  Effect.gen(function* () {
    const imports = yield* Imports
    const store = yield* ImportStore
    const { session } = yield* (yield* WriteWorld).fresh
    const permissions = new Set([...session.permissions].filter((held) => held !== "imports.write"))
    let counted = 0
    const count = Effect.suspend(() => {
      counted++
      return Effect.fail(new RateLimited({ limit: { kind: "rate", retryAfterMs: 1 } }))
    })
    const run = (caller: AuthorizedSession, text: string) =>
      Effect.flip(
        imports.run(
          caller,
          { source: "shop", items: [{ kind: "session", externalId: "1", data: { text } }] },
          "a-key-that-is-counted",
          count
        )
      )
    assert.deepInclude(yield* run({ ...session, permissions }, "слово"), { code: "ACCESS_DENIED" })
    assert.deepInclude(yield* run(session, bulky), { code: "PAYLOAD_TOO_LARGE" })
    assert.strictEqual(counted, 0)
    assert.deepInclude(yield* run(session, "слово"), { code: "RATE_LIMITED" })
    assert.strictEqual(counted, 1)
    const batch = { id: session.sessionId ?? "", total: 1, now: 0, owner: "" }
    assert.isTrue((yield* store.open(session, "a-key-that-is-counted", "sha256:other", batch)).isCreated)
  }).pipe(Effect.provide(Imports.layer.pipe(Layer.provideMerge(writeStoresMemory))))
)

it.effect("an import above the quota keeps its key free, and one that began resumes under its key", () =>
  Effect.gen(function* () {
    const imports = yield* Imports
    const store = yield* ImportStore
    const { session } = yield* (yield* WriteWorld).fresh
    const request = {
      source: "shop",
      items: ["1", "2"].map((externalId) => ({ kind: "session" as const, externalId, data: {} }))
    }
    const run = (key: string) => imports.run(session, request, key)
    room = 0
    assert.deepInclude(yield* Effect.flip(run("new")), { code: "QUOTA_EXCEEDED" })
    assert.isFalse(yield* store.isKnown(session, "new"))
    // Room for the batch and its first item.
    room = 2
    assert.deepInclude(yield* Effect.flip(run("begun")), { code: "QUOTA_EXCEEDED" })
    assert.deepInclude(yield* Effect.flip(run("begun")), { code: "QUOTA_EXCEEDED" })
    room = 9
    const { answer } = yield* run("begun")
    assert.strictEqual(answer.checkpoint.nextIndex, 2)
    room = 0
    assert.deepStrictEqual((yield* run("begun")).answer, answer)
  }).pipe(
    Effect.provide(
      Imports.layer.pipe(
        Layer.provide(Layer.succeed(WriteCapacity, gate)),
        Layer.provideMerge(writeStoresMemory)
      )
    )
  )
)
let room = 0
const gate = {
  pass: () =>
    Effect.suspend(() =>
      room-- > 0 ? Effect.void : Effect.fail(new QuotaExceeded({ detail: "the instance is full" }))
    )
}

let turns = 0
let turnsToJudge = 0
const watched = Layer.effect(
  ImportStore,
  Effect.map(ImportStore, (store) =>
    ImportStore.of({
      ...store,
      open: (...args) =>
        Effect.suspend(() => {
          turnsToJudge = turns
          return store.open(...args)
        })
    })
  )
)

it.live("other requests run while an import with many members is checked", () =>
  Effect.gen(function* () {
    const imports = yield* Imports
    const { session } = yield* (yield* WriteWorld).fresh
    const data = Object.fromEntries(Array.from({ length: 320 }, (_, i) => [`u${i}`, 0]))
    const items = Array.from({ length: 100 }, (_, i) => ({
      kind: "action" as const,
      externalId: String(i),
      data
    }))
    const counting = setInterval(() => turns++, 0)
    const count = Effect.sync(() => void (turns = 0))
    const { answer } = yield* imports
      .run(session, { source: "shop", items }, "a-key-of-many-members", count)
      .pipe(Effect.ensuring(Effect.sync(() => clearInterval(counting))))
    assert.strictEqual(answer.failed, 100)
    assert.isAtLeast(turnsToJudge, 3)
  }).pipe(Effect.provide(Imports.layer.pipe(Layer.provide(watched), Layer.provideMerge(writeStoresMemory))))
)

for (const operation of ["open", "advance", "find"] as const) {
  it.effect(`an import whose database fails in ${operation} is 503 and completes under its key`, () =>
    Effect.gen(function* () {
      const imports = yield* Imports
      const { clientIds, session } = yield* (yield* WriteWorld).fresh
      const item = {
        kind: "action" as const,
        clientId: clientIds[0],
        externalId: "1",
        data: { type: "order.created", actorType: "client", occurredAt: "2026-09-21T14:13:20.000Z" }
      }
      const run = imports.run(session, { source: "shop", items: [item] }, "a-key-of-an-import")
      const error = yield* Effect.flip(run)
      assert.deepInclude(error, { code: "SEARCH_UNAVAILABLE", reason: "database_unavailable" })
      const { answer } = yield* run
      assert.deepInclude(answer, { status: "completed", succeeded: 1, failed: 0 })
    }).pipe(
      Effect.provide(
        Imports.layer.pipe(Layer.provide(awayOnce(operation)), Layer.provideMerge(writeStoresMemory))
      )
    )
  )
}
