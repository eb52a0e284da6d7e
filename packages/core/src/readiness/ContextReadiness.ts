// The status of the sources of a context read for the caller's instance (contract §3.4).
import { AppealIndex } from "../appeals/AppealIndex.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Readiness } from "@rapport/contract/context/ContextApi.ts"
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { Context, Effect, Layer } from "effect"
import { ClientMemory } from "../memory/ClientMemory.ts"
import { IndexLag } from "./IndexLag.ts"
import { ReadinessStore } from "./ReadinessStore.ts"
import { orUnavailable, withTimeout } from "../failures/SourceUnavailable.ts"

export class ContextReadiness extends Context.Service<ContextReadiness>()("core/readiness/ContextReadiness", {
  make: Effect.gen(function* () {
    const store = yield* ReadinessStore
    const index = yield* AppealIndex
    const memory = yield* ClientMemory
    const lag = yield* IndexLag

    return {
      /** For every caller of the instance. An unavailable search engine is not_ready; only an unavailable database fails. */
      read: Effect.fn("ContextReadiness.read")(function* (session: AuthorizedSession) {
        const { instanceId } = session
        const [stored, indexStatus, lagMillis, memoryStatus] = yield* Effect.all(
          [
            withTimeout(ContextLimits.timeoutMs.default, "database")(store.find(instanceId)),
            index.status(instanceId).pipe(
              inTime,
              Effect.orElseSucceed(() => undefined)
            ),
            lag.millis(instanceId).pipe(
              inTime,
              Effect.orElseSucceed(() => undefined)
            ),
            memory.status(instanceId).pipe(
              inTime,
              Effect.orElseSucceed(() => undefined)
            )
          ],
          { concurrency: "unbounded" }
        )
        return {
          capability: stored.capabilityEnabled ? "enabled" : "disabled",
          contextStore: readyOr(stored.contextStoreReady),
          searchIndex: readyOr(indexStatus?.ready === true),
          clientMemoryIndex: readyOr(memoryStatus?.ready === true),
          // Without an answer nothing is known to be searchable.
          indexLagMs: lagMillis ?? Math.max(1, stored.oldestOutboxEntryMillis),
          quarantined: stored.quarantined
        } satisfies Readiness
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(ContextReadiness, ContextReadiness.make)
}

const readyOr = (ready: boolean) => (ready ? "ready" : "not_ready")

/** A hanging engine counts as unavailable. */
const inTime = withTimeout(ContextLimits.timeoutMs.default, "search")
