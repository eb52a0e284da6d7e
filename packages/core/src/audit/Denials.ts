// Refused requests leave a trace: each is counted as a metric, and a bounded sample is logged and audited (contract §9).
import { principalKey } from "@rapport/contract/Authorization.ts"
import { Clock, Context, Effect, Layer, Metric } from "effect"
import { addressKey } from "../access/AddressKey.ts"
import type { Caller } from "../access/Caller.ts"
import { actorOf, AuditLog, currentOrigin } from "./AuditLog.ts"

/** Refusals of one principal, or of one address without a session, that are logged and audited in a minute. */
const KEPT_PER_MINUTE = 5
/** Lines about refusals in a minute, of all callers together. */
const LOGGED_PER_MINUTE = 100
/** Principals and addresses that get lines of their own within a minute; further ones are only counted. */
const CALLERS_MAX = 10_000
const WINDOW_MILLIS = 60_000

export type DenialReason = "unauthenticated" | "access_denied" | "rate_limited"

export interface Denial {
  readonly reason: DenialReason
  /** The operationId of the route, for example `login`: it names the metric, so it comes from a closed list. */
  readonly operation: string
  /** Null where the user is unknown: then no instance can hold an audit entry. */
  readonly session: Caller | null
  /** The route writes an audit entry of its own, with more in it. */
  readonly isAudited?: boolean
}

export class Denials extends Context.Service<
  Denials,
  {
    /** Address and request id are those of the request that is being answered. It never fails and never asks the database. */
    readonly note: (denial: Denial) => Effect.Effect<void>
  }
>()("core/audit/Denials") {
  static readonly layer: Layer.Layer<Denials, never, AuditLog> = Layer.effect(
    Denials,
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const sample = makeSample()
      return Denials.of({
        note: Effect.fnUntraced(function* ({ isAudited = false, operation, reason, session }) {
          yield* Metric.update(denialsOf(reason, operation), 1)
          const origin = yield* currentOrigin
          const { address } = origin
          const caller = session === null ? `address ${addressKey(address ?? "")}` : principalKey(session)
          const now = Number((yield* Clock.monotonicTimeNanos) / 1_000_000n)
          const { isKept, isLogged, unlogged } = sample(caller, now)
          if (unlogged > 0) yield* Effect.logInfo(`${unlogged} further refusals were counted and not logged`)
          if (isLogged) yield* Effect.logInfo(`refused: ${reason} in ${operation}`, { caller })
          if (!isKept || isAudited || session === null) return
          yield* audit.append({
            ...origin,
            ...actorOf(session),
            instanceId: session.instanceId,
            action: `request.${reason}`,
            entity: null,
            entityId: null,
            decision: "denied",
            details: { operation }
          })
        })
      })
    })
  )
}

const denials = Metric.counter("rapport.denials", {
  description: "requests refused with 401, 403 or 429, failed logins among them",
  incremental: true
})

/** By reason and operation, which are closed lists; made once each, for making them costs more than counting. */
const denialSeries = new Map<string, typeof denials>()
const denialsOf = (reason: DenialReason, operation: string) => {
  const key = `${reason} ${operation}`
  const made = denialSeries.get(key) ?? Metric.withAttributes(denials, { reason, operation })
  denialSeries.set(key, made)
  return made
}

interface Sampled {
  readonly isKept: boolean
  readonly isLogged: boolean
  /** Refusals of the window before that no line named; reported once. */
  readonly unlogged: number
}

/** Counts by caller in windows of a minute; a new window forgets the one before. */
const makeSample = () => {
  const seen = new Map<string, number>()
  let startedAt = -Infinity
  let logged = 0
  let unlogged = 0
  return (caller: string, now: number): Sampled => {
    let before = 0
    if (now - startedAt >= WINDOW_MILLIS) {
      before = unlogged
      seen.clear()
      startedAt = now
      logged = 0
      unlogged = 0
    }
    const count = (seen.get(caller) ?? 0) + 1
    const isKnown = count > 1 || seen.size < CALLERS_MAX
    if (isKnown) seen.set(caller, count)
    const isKept = isKnown && count <= KEPT_PER_MINUTE
    const isLogged = isKept && logged < LOGGED_PER_MINUTE
    if (isLogged) logged++
    else unlogged++
    return { isKept, isLogged, unlogged: before }
  }
}
