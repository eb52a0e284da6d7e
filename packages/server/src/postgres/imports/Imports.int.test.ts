// Imports (contract §1.1, §5): what is counted, quotas, and a database failure that a retry under the same key completes.
import { assert, layer } from "@effect/vitest"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { QuotaExceeded, RateLimited } from "@rapport/contract/Errors.ts"
import { WriteCapacity } from "@rapport/core/capacity/WriteCapacity.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Imports } from "@rapport/core/imports/Imports.ts"
import { ImportStore } from "@rapport/core/imports/ImportStore.ts"
import { Effect, Layer } from "effect"
import { freshWorld, writeStores } from "../../testing/WriteWorld.ts"

type Operation = "open" | "advance" | "find"

/** The store with one operation that fails at its first call. */
const failingOnce = (operation: Operation) =>
  Layer.effect(
    ImportStore,
    Effect.gen(function* () {
      const store = yield* ImportStore
      let hasFailed = false
      const failOnce = <A, E, R>(name: Operation, answer: Effect.Effect<A, E, R>) =>
        Effect.suspend((): Effect.Effect<A, E | SourceUnavailable, R> => {
          if (name !== operation || hasFailed) return answer
          hasFailed = true
          return Effect.fail(new SourceUnavailable({ source: "database", reason: "database_unavailable" }))
        })
      return ImportStore.of({
        ...store,
        open: (...args) => failOnce("open", store.open(...args)),
        find: (...args) => failOnce("find", store.find(...args)),
        advance: (...args) => failOnce("advance", store.advance(...args))
      })
    })
  )

layer(writeStores, { excludeTestServices: true, timeout: 60_000 })("imports", (it) => {
  it.effect(
    "import items are counted after size and permission are checked, before anything is written",
    () =>
      Effect.gen(function* () {
        const imports = yield* Imports
        const store = yield* ImportStore
        const { session } = yield* freshWorld
        const permissions = new Set([...session.permissions].filter((name) => name !== "imports.write"))
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
        assert.deepInclude(yield* run(session, "слово ".repeat(400_000)), { code: "PAYLOAD_TOO_LARGE" })
        assert.strictEqual(counted, 0)
        assert.deepInclude(yield* run(session, "слово"), { code: "RATE_LIMITED" })
        assert.strictEqual(counted, 1)
        assert.isFalse(yield* store.isKnown(session, "a-key-that-is-counted"))
      }).pipe(Effect.provide(Imports.layer))
  )

  let capacity = 0
  const limited = Layer.succeed(WriteCapacity, {
    pass: () =>
      Effect.suspend(() =>
        capacity-- > 0 ? Effect.void : Effect.fail(new QuotaExceeded({ detail: "the instance is full" }))
      )
  })
  it.effect("an import above the quota keeps its key free, and one that started resumes under its key", () =>
    Effect.gen(function* () {
      const imports = yield* Imports
      const store = yield* ImportStore
      const { session } = yield* freshWorld
      const request = {
        source: "shop",
        items: ["1", "2"].map((externalId) => ({ kind: "session" as const, externalId, data: {} }))
      }
      const run = (key: string) => imports.run(session, request, key)
      capacity = 0
      assert.deepInclude(yield* Effect.flip(run("new")), { code: "QUOTA_EXCEEDED" })
      assert.isFalse(yield* store.isKnown(session, "new"))
      // Enough for the batch and its first item.
      capacity = 2
      assert.deepInclude(yield* Effect.flip(run("started")), { code: "QUOTA_EXCEEDED" })
      assert.deepInclude(yield* Effect.flip(run("started")), { code: "QUOTA_EXCEEDED" })
      capacity = 9
      const { answer } = yield* run("started")
      assert.strictEqual(answer.checkpoint.nextIndex, 2)
      capacity = 0
      assert.deepStrictEqual((yield* run("started")).answer, answer)
    }).pipe(Effect.provide(Layer.provide(Imports.layer, limited)))
  )

  let turns = 0
  let turnsOfCheck = 0
  const counting = Layer.effect(
    ImportStore,
    Effect.map(ImportStore, (store) =>
      ImportStore.of({
        ...store,
        open: (...args) =>
          Effect.suspend(() => {
            turnsOfCheck = turns
            return store.open(...args)
          })
      })
    )
  )
  it.effect("other requests run while an import with many members is checked", () =>
    Effect.gen(function* () {
      const imports = yield* Imports
      const { clientIds, session } = yield* freshWorld
      const data = Object.fromEntries(Array.from({ length: 320 }, (_, i) => [`u${i}`, 0]))
      const items = Array.from({ length: 100 }, (_, i) => ({
        kind: "action" as const,
        clientId: clientIds[0],
        externalId: String(i),
        data
      }))
      const turn = () => {
        turns++
        next = setImmediate(turn)
      }
      let next = setImmediate(turn)
      const count = Effect.sync(() => void (turns = 0))
      const { answer } = yield* imports
        .run(session, { source: "shop", items }, "a-key-of-many-members", count)
        .pipe(Effect.ensuring(Effect.sync(() => clearImmediate(next))))
      assert.strictEqual(answer.failed, 100)
      assert.isAtLeast(turnsOfCheck, items.length)
    }).pipe(Effect.provide(Layer.provide(Imports.layer, counting)))
  )

  it.effect.each(["open", "advance", "find"] as const)(
    "an import whose database fails in %s is 503 and completes under its key",
    (operation) =>
      Effect.gen(function* () {
        const imports = yield* Imports
        const { clientIds, session } = yield* freshWorld
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
      }).pipe(Effect.provide(Layer.provide(Imports.layer, failingOnce(operation))))
  )
})
