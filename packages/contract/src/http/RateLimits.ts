// Rate and concurrency limits of routes, declared here and enforced by the server (contract §1.1, §10).
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { CurrentSession } from "../Authorization.ts"
import { RateLimited } from "../Errors.ts"
import type { TrafficLimit } from "../Limits.ts"

/** The limits of an endpoint. `name` is its name in the RateLimit headers. */
export interface TrafficPolicy {
  readonly name: string
  readonly perMinute: TrafficLimit
  /** Concurrency of one principal, and of one instance. */
  readonly concurrency: TrafficLimit
  readonly concurrencyOfInstance: TrafficLimit
}

/** All routes except context reads share this concurrency (contract §10). */
const restConcurrency = {
  concurrency: "REST_AT_ONCE",
  concurrencyOfInstance: "REST_AT_ONCE_INSTANCE"
} as const

/** Every named policy. */
export const policies = {
  contextRead: {
    name: "context-reads",
    perMinute: "CONTEXT_READS_PER_MINUTE",
    concurrency: "CONTEXT_READS_AT_ONCE",
    concurrencyOfInstance: "CONTEXT_READS_AT_ONCE_INSTANCE"
  },
  contextWrite: { name: "context-writes", perMinute: "CONTEXT_WRITES_PER_MINUTE", ...restConcurrency },
  rest: { name: "rest", perMinute: "REST_PER_MINUTE", ...restConcurrency },
  appealImport: { name: "appeal-imports", perMinute: "APPEAL_IMPORTS_PER_MINUTE", ...restConcurrency },
  call: { name: "calls", perMinute: "CALLS_PER_MINUTE", ...restConcurrency }
} as const satisfies Record<string, TrafficPolicy>

/** Annotation of an endpoint: `.annotate(RatePolicy, policies.contextRead)`. Other endpoints count as rest. */
export const RatePolicy = Context.Reference<TrafficPolicy>("rapport/RatePolicy", {
  defaultValue: () => policies.rest
})

/** Checked after Authorization (429). */
export class RateLimits extends HttpApiMiddleware.Service<RateLimits, { requires: CurrentSession }>()(
  "rapport/RateLimits",
  {
    error: RateLimited
  }
) {}

/** Checked first on routes without a token (429), by address. */
export class AnonymousRateLimits extends HttpApiMiddleware.Service<AnonymousRateLimits>()(
  "rapport/AnonymousRateLimits",
  {
    error: RateLimited
  }
) {}
