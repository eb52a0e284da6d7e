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
import { Clock, Effect, Option, Schema } from "effect"
import { packFound } from "../sqlite/IndexRpc.ts"
import { after } from "./After.ts"
import type { Heard } from "./Channel.ts"
import { Lender } from "./Lender.ts"
import { type LenderNote, WorkerAsk, WorkerNote, type WorkerSettings } from "./Messages.ts"

/** What the parent does for one worker. */
export interface ServedWorker extends Heard {
  /** Gives back all that the worker holds. */
  readonly ended: () => void
}

interface WorkerFacts {
  readonly settings: typeof WorkerSettings.Encoded
  readonly ready: () => void
  readonly post: (note: LenderNote) => void
}

const decodeAsk = Schema.decodeUnknownEffect(WorkerAsk)
const decodeNote = Schema.decodeUnknownOption(WorkerNote)

interface Served {
  readonly limits: TrafficLimits
  readonly workers: number
}

export const makeWorkerService = Effect.fnUntraced(function* ({ limits, workers }: Served) {
  const logins = yield* FailedLogins
  const indexes = { appeals: yield* AppealIndex, memory: yield* MemoryIndex }
  const lag = yield* IndexLag
  const signals = {
    changes: yield* OutboxSignal,
    deliveries: yield* DeliverySignal,
    broadcasts: yield* BroadcastSignal
  }
  const clock = yield* Clock.Clock
  const lender = new Lender({ limits, workers, after, now: () => clock.currentTimeMillisUnsafe() })

  return ({ post, ready, settings }: WorkerFacts): ServedWorker => {
    const borrower = lender.borrower(post)
    const reserved = new Map<number, ReservedLogin>()

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
        if (note === undefined) return
        if (note._tag === "Ready") ready()
        else if (note._tag === "Settled") settle(note.id, note.failed)
        else if (note._tag === "Committed") Effect.runFork(signals[note.topic].notify)
        else borrower.hear(note)
      },
      ended: () => {
        borrower.ended()
        for (const id of reserved.keys()) settle(id, false)
      }
    }
  }
})
