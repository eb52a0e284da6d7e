// An importer that is interrupted after so many groups of items, as a client who goes away or a service that stops interrupts it.
import { Context, Effect, Layer } from "effect"
import { ImportStore } from "../imports/ImportStore.ts"

/** How many more groups the import of this fiber may bring in; null: all. */
const Left = Context.Reference<{ groups: number } | null>("core/testing/StoppingImports/Left", {
  defaultValue: () => null
})

/** The store below, but that it interrupts an import without groups left. */
export const stoppingImportStore: Layer.Layer<ImportStore, never, ImportStore> = Layer.effect(
  ImportStore,
  Effect.map(ImportStore, (store) =>
    ImportStore.of({
      ...store,
      advance: (ref, index, items, clientIds) =>
        Effect.gen(function* () {
          const left = yield* Left
          if (left !== null && left.groups-- <= 0) return yield* Effect.interrupt
          return yield* store.advance(ref, index, items, clientIds)
        })
    })
  )
)

export const stopImportAfter = <A, E, R>(
  groups: number | null,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.provideService(effect, Left, groups === null ? null : { groups })
