// Everything that is counted in Redis, over one connection. Loaded only where REDIS_URL is set.
import type { TrafficLimits } from "@rapport/contract/Limits.ts"
import type { FailedLogins } from "@rapport/core/access/FailedLogins.ts"
import type { ConcurrencyLimit, RateLimit } from "@rapport/core/traffic/RateLimits.ts"
import { Layer } from "effect"
import type { RedisSettings } from "../config/RedisSettings.ts"
import * as ConcurrencyLimitRedis from "./ConcurrencyLimitRedis.ts"
import * as FailedLoginsRedis from "./FailedLoginsRedis.ts"
import * as RateLimitRedis from "./RateLimitRedis.ts"
import { Redis } from "./Redis.ts"

export const layer = (
  settings: RedisSettings,
  limits: TrafficLimits
): Layer.Layer<RateLimit | FailedLogins | ConcurrencyLimit> =>
  Layer.mergeAll(
    RateLimitRedis.layer(limits),
    FailedLoginsRedis.layer(limits),
    ConcurrencyLimitRedis.layer(limits)
  ).pipe(Layer.provide(Redis.layer(settings)))
