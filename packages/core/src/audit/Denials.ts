// Records refused requests: all in a metric, a bounded sample in log and audit log (contract §9).
import { principalKey } from "@rapport/contract/Authorization.ts"
import { Clock, Context, Effect, Layer, Metric } from "effect"
import { addressKey } from "../access/AddressKey.ts"
import type { Caller } from "../access/Caller.ts"
import { memoize } from "../values/Memoize.ts"
import { actorOf, AuditLog, currentOrigin } from "./AuditLog.ts"

/** Refusals of one principal (or address without a session) that are logged and audited in a minute. */
const KEPT_PER_MINUTE = 5
/** Log lines about refusals in a minute, of all callers. */
const LOGGED_PER_MINUTE = 100
/** Principals and addresses with log lines in a minute; others are only counted. */
const CALLERS_MAX = 10_000
const WINDOW_MILLIS = 60_000

export type DenialReason = "unauthenticated" | "access_denied" | "rate_limited"

export interface Denial {
  readonly reason: DenialReason
  /** The operationId of the route, for example `login`; an attribute of the metric, so from a closed list. */
  readonly operation: string
  /** Null if the user is unknown: then there is no audit entry. */
  readonly session: Caller | null
  /** The route writes a more detailed audit entry itself. */
  readonly isAudited?: boolean
}

export class Denials extends Context.Service<Denials>()("core/audit/Denials", {
  make: Effect.gen(function* () {
    const audit = yield* AuditLog
    const sample = makeSample()
    return {
      /** Uses address and request id of the running request. Never fails and does not query the database. */
      note: Effect.fnUntraced(function* ({ isAudited = false, operation, reason, session }: Denial) {
        yield* Metric.update(denialsOf(reason)(operation), 1)
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
    }
  })
}) {
  static readonly layer = Layer.effect(Denials, Denials.make)
}

const denials = Metric.counter("rapport.denials", {
  description: "requests refused with 401, 403 or 429, failed logins among them",
  incremental: true
})

/** Counters by reason and operation (closed lists), created once because creation is expensive. */
const denialsOf = memoize((reason: DenialReason) =>
  memoize((operation: string) => Metric.withAttributes(denials, { reason, operation }))
)

interface Sampled {
  readonly isKept: boolean
  readonly isLogged: boolean
  /** Refusals of the previous window without a log line; reported once. */
  readonly unlogged: number
}

/** Counts by caller in windows of a minute. */
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
