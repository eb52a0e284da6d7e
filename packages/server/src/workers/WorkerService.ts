// What the parent does for its workers: counts, searches, notifies the projectors. What a worker holds is free again when it ends.
import type { TrafficLimits } from "@rapport/contract/Limits.ts"
import { FailedLogins, type ReservedLogin } from "@rapport/core/access/FailedLogins.ts"
import { AppealIndex } from "@rapport/core/appeals/AppealIndex.ts"
import { BroadcastSignal } from "@rapport/core/broadcasts/BroadcastSignal.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { MemoryIndex } from "@rapport/core/memory/MemoryIndex.ts"
import { IndexLag } from "@rapport/core/readiness/IndexLag.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { takeHere } from "@rapport/core/traffic/ConcurrencyLimit.ts"
import { RateLimit } from "@rapport/core/traffic/RateLimit.ts"
import { Effect, Option, Schema } from "effect"
import { packFound } from "../sqlite/IndexRpc.ts"
import type { Heard } from "./Channel.ts"
import { WorkerAsk, WorkerNote, type WorkerSettings } from "./Messages.ts"

/** What the parent does for one worker. */
export interface ServedWorker extends Heard {
  /** Gives back all that the worker holds. */
  readonly ended: () => void
}

interface WorkerFacts {
  readonly settings: typeof WorkerSettings.Encoded
  readonly ready: () => void
}

const decodeAsk = Schema.decodeUnknownEffect(WorkerAsk)
const decodeNote = Schema.decodeUnknownOption(WorkerNote)

export const makeWorkerService = Effect.fnUntraced(function* (limits: TrafficLimits) {
  const rates = yield* RateLimit
  const logins = yield* FailedLogins
  const indexes = { appeals: yield* AppealIndex, memory: yield* MemoryIndex }
  const lag = yield* IndexLag
  const signals = {
    changes: yield* OutboxSignal,
    deliveries: yield* DeliverySignal,
    broadcasts: yield* BroadcastSignal
  }
  const take = takeHere(limits)

  return ({ ready, settings }: WorkerFacts): ServedWorker => {
    const places = new Map<number, Effect.Effect<void>>()
    const reserved = new Map<number, ReservedLogin>()

    const give = (id: number) => {
      const taken = places.get(id)
      if (places.delete(id) && taken !== undefined) Effect.runSync(taken)
    }
    const settle = (id: number, failed: boolean) => {
      const login = reserved.get(id)
      if (reserved.delete(id) && login !== undefined) Effect.runSync(login.settle(failed))
    }
    const answer = (ask: WorkerAsk, id: number): Effect.Effect<unknown, SourceUnavailable> => {
      switch (ask._tag) {
        case "Settings":
          return Effect.succeed(settings)
        case "Closed":
          return Effect.succeed(null)
        case "Take":
          return rates.take(ask.limit, ask.key, ask.amount)
        case "Places":
          return Effect.map(take(ask.places), (taken) => {
            if ("full" in taken) return taken.full
            places.set(id, taken.give)
            return null
          })
        case "Login":
          return Effect.map(logins.reserve(ask), (place) => {
            if (typeof place !== "object") return place
            reserved.set(id, place)
            return "reserved"
          })
        case "Search":
          return Effect.map(indexes[ask.index].search(ask.query), packFound)
        case "Status":
          return indexes[ask.index].status(ask.instanceId)
        case "Lag":
          return lag.millis(ask.instanceId)
      }
    }

    return {
      answer: (ask, id) =>
        Effect.flatMap(Effect.orDie(decodeAsk(ask)), (understood) => answer(understood, id)),
      note: (given) => {
        const note = Option.getOrUndefined(decodeNote(given))
        if (note?._tag === "Ready") ready()
        else if (note?._tag === "Give") give(note.id)
        else if (note?._tag === "Settled") settle(note.id, note.failed)
        else if (note?._tag === "Committed") Effect.runFork(signals[note.topic].notify)
      },
      ended: () => {
        for (const id of places.keys()) give(id)
        for (const id of reserved.keys()) settle(id, false)
      }
    }
  }
})
