// The writing stores in memory and the world they are tested in.
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as ClientContextStoreMemory from "./ClientContextStoreMemory.ts"
import type { ClientContextStore } from "../clients/ClientContextStore.ts"
import * as ImportStoreMemory from "./ImportStoreMemory.ts"
import type { ImportStore } from "../imports/ImportStore.ts"
import type { Receipts } from "../receipts/Receipts.ts"
import * as ReceiptsMemory from "./ReceiptsMemory.ts"
import { TransactionsMemory } from "./TransactionsMemory.ts"
import * as SessionStoreMemory from "./SessionStoreMemory.ts"
import type { SessionStore } from "../sessions/SessionStore.ts"
import { sessionOf, WriteWorld } from "./WriteWorld.ts"

const worldLayer = Layer.effect(
  WriteWorld,
  Effect.gen(function* () {
    const transactions = yield* TransactionsMemory
    let made = 0
    return WriteWorld.of({
      fresh: Effect.sync(() => {
        const id = ++made
        return {
          session: sessionOf(id, 1, "one"),
          other: sessionOf(id, 2, "two"),
          clientIds: [10 * id + 1, 10 * id + 2]
        }
      }),
      endLeases: transactions.write(({ batches }) => ({
        batches: new Map([...batches].map(([key, kept]) => [key, { ...kept, leasedUntil: 0 }]))
      }))
    })
  })
)

/** What the laws of the writing stores need. */
export type WriteStores =
  | Receipts
  | ClientContextStore
  | SessionStore
  | ImportStore
  | WriteWorld
  | SecureRandom.SecureRandom

export const writeStoresMemory: Layer.Layer<WriteStores> = Layer.mergeAll(
  ReceiptsMemory.layer,
  ClientContextStoreMemory.layer,
  SessionStoreMemory.layer,
  ImportStoreMemory.layer,
  worldLayer
).pipe(Layer.provide(TransactionsMemory.layer), Layer.provideMerge(SecureRandom.layerWebCrypto))
