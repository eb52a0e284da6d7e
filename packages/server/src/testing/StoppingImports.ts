// An import that is interrupted after a number of groups of items, as by a client that disconnects.
import { Context, Effect, Layer } from "effect"
import { ImportStore } from "@rapport/core/imports/ImportStore.ts"

/** How many more groups the import of this fiber may write. Null: all. */
const GroupsLeft = Context.Reference<{ groups: number } | null>("server/testing/StoppingImports/GroupsLeft", {
  defaultValue: () => null
})

/** Interrupts an import that has no groups left. */
export const stoppingImportStore: Layer.Layer<ImportStore, never, ImportStore> = Layer.effect(
  ImportStore,
  Effect.map(ImportStore, (store) =>
    ImportStore.of({
      ...store,
      advance: (ref, index, items, clientIds) =>
        Effect.gen(function* () {
          const left = yield* GroupsLeft
          if (left !== null && left.groups-- <= 0) return yield* Effect.interrupt
          return yield* store.advance(ref, index, items, clientIds)
        })
    })
  )
)

export const stopImportAfter = <A, E, R>(
  groups: number | null,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.provideService(effect, GroupsLeft, groups === null ? null : { groups })
