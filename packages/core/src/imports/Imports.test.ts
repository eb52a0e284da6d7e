// A database that goes away during an import (docs/contract.md §1.1, §5): 503, and the same key goes on later.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
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

describe("an import whose database is away for a moment", () => {
  for (const operation of ["open", "advance", "find"] as const) {
    it.effect(`${operation}: is 503, and the same key answers with the whole batch`, () =>
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
})
