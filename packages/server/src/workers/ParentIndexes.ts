// The indexes of a worker: its parent holds them, with the projectors that keep them up with the database. What a worker
// commits is noted to the parent.
import { AppealIndex } from "@rapport/core/appeals/AppealIndex.ts"
import { BroadcastSignal } from "@rapport/core/broadcasts/BroadcastSignal.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { MemoryIndex } from "@rapport/core/memory/MemoryIndex.ts"
import { IndexLag } from "@rapport/core/readiness/IndexLag.ts"
import type { DocumentIndex } from "@rapport/core/search/DocumentIndex.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Clock, Context, Effect, Layer, PubSub, Schema } from "effect"
import { unpackFound } from "../sqlite/IndexRpc.ts"
import type { ProcessChannel } from "./Channel.ts"
import { LagAnswer, SearchAnswer, StatusAnswer, type WorkerAsk, type WorkerNote } from "./Messages.ts"

const decodeFound = Schema.decodeUnknownEffect(SearchAnswer)
const decodeStatus = Schema.decodeUnknownEffect(StatusAnswer)
const decodeLag = Schema.decodeUnknownEffect(LagAnswer)

const unavailable = (cause: unknown): SourceUnavailable =>
  cause instanceof SourceUnavailable
    ? cause
    : new SourceUnavailable({ source: "search", reason: "search_index_unavailable", cause })

const indexOf = (channel: ProcessChannel, index: "appeals" | "memory"): DocumentIndex => ({
  search: Effect.fnUntraced(function* (query) {
    const left = query.deadline - (yield* Clock.currentTimeMillis)
    const late = new SourceUnavailable({ source: "search", reason: "timeout" })
    if (left <= 0) return yield* late
    return yield* channel
      .ask({ _tag: "Search", index, query } satisfies WorkerAsk)
      .pipe(
        Effect.flatMap(decodeFound),
        Effect.mapBoth({ onFailure: unavailable, onSuccess: unpackFound }),
        Effect.timeoutOrElse({ duration: left, orElse: () => Effect.fail(late) })
      )
  }),
  status: (instanceId) =>
    channel
      .ask({ _tag: "Status", index, instanceId } satisfies WorkerAsk)
      .pipe(Effect.flatMap(decodeStatus), Effect.mapError(unavailable))
})

const signalOf = Effect.fnUntraced(function* (
  channel: ProcessChannel,
  topic: Extract<WorkerNote, { readonly _tag: "Committed" }>["topic"]
) {
  const heard = yield* PubSub.sliding<void>(1)
  let isNoted = false
  return {
    // Once a turn of the event loop is enough.
    notify: Effect.sync(() => {
      if (isNoted) return
      isNoted = true
      setImmediate(() => {
        isNoted = false
      })
      channel.note({ _tag: "Committed", topic } satisfies WorkerNote)
    }),
    notifications: PubSub.subscribe(heard)
  }
})

export const indexesLayer = (
  channel: ProcessChannel
): Layer.Layer<AppealIndex | MemoryIndex | IndexLag | OutboxSignal | DeliverySignal | BroadcastSignal> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const changes = yield* signalOf(channel, "changes")
      const deliveries = yield* signalOf(channel, "deliveries")
      const broadcasts = yield* signalOf(channel, "broadcasts")
      const lag = IndexLag.of({
        millis: (instanceId) =>
          channel
            .ask({ _tag: "Lag", instanceId } satisfies WorkerAsk)
            .pipe(Effect.flatMap(decodeLag), Effect.mapError(unavailable))
      })
      return Context.make(AppealIndex, indexOf(channel, "appeals")).pipe(
        Context.add(MemoryIndex, indexOf(channel, "memory")),
        Context.add(IndexLag, lag),
        Context.add(OutboxSignal, changes),
        Context.add(DeliverySignal, deliveries),
        Context.add(BroadcastSignal, broadcasts)
      )
    })
  )
