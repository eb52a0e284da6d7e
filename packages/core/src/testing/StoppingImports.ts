// An importer that is interrupted after so many items, as a client who goes away or a service that stops interrupts it.
import { Context, Effect, Layer } from "effect"
import { ImportStore } from "../imports/ImportStore.ts"

/** How many more items the import of this fiber may bring in; null: all. */
const Left = Context.Reference<{ items: number } | null>("core/testing/StoppingImports/Left", {
  defaultValue: () => null
})

/** The store below, but that it interrupts whoever has no items left. */
export const stoppingImportStore: Layer.Layer<ImportStore, never, ImportStore> = Layer.effect(
  ImportStore,
  Effect.map(ImportStore, (store) =>
    ImportStore.of({
      ...store,
      advance: (ref, index, item, clientId) =>
        Effect.gen(function* () {
          const left = yield* Left
          if (left !== null && left.items-- <= 0) return yield* Effect.interrupt
          return yield* store.advance(ref, index, item, clientId)
        })
    })
  )
)

export const stopImportAfter = <A, E, R>(
  items: number | null,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.provideService(effect, Left, items === null ? null : { items })
