// A client memory whose index was never complete.
import { Effect, Layer } from "effect"
import { ClientMemory } from "../memory/ClientMemory.ts"
import { SourceUnavailable } from "../failures/SourceUnavailable.ts"

export const memoryNotReady = Layer.succeed(ClientMemory, {
  find: () =>
    Effect.fail(new SourceUnavailable({ source: "client_memory", reason: "client_memory_not_ready" })),
  status: () => Effect.succeed({ ready: false, lagMillis: 0, indexedAt: 0 })
})
