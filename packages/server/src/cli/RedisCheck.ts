// The check of Redis in `rapport doctor`. Loaded only if REDIS_URL is set.
import { Effect } from "effect"
import type { RedisSettings } from "../config/RedisSettings.ts"
import { tryRedis } from "../redis/Redis.ts"
import { type Check, ok, warning } from "./Checks.ts"

/** The share of RAPPORT_REDIS_TIMEOUT_MS above which a write counts as slow. */
const SLOW_SHARE = 0.5

/** Only a warning if Redis is unavailable: the service works without it. */
export const redisCheck = (settings: RedisSettings): Effect.Effect<Check> =>
  Effect.match(tryRedis(settings), {
    onFailure: ({ message }) =>
      warning(
        "redis",
        `${message}: every process counts limits separately`,
        "check REDIS_URL (host, port, user, password, database), REDIS_CA_FILE, and the memory and rights of Redis"
      ),
    onSuccess: (millis) => latencyCheck(Math.round(millis), settings)
  })

const latencyCheck = (millis: number, { timeoutMillis, tls }: RedisSettings): Check => {
  const found = `a write takes ${millis} ms${tls ? ", encrypted" : ""}`
  return millis <= timeoutMillis * SLOW_SHARE
    ? ok("redis", found)
    : warning(
        "redis",
        `${found}; a request waits ${timeoutMillis} ms at most`,
        "move Redis closer, or raise RAPPORT_REDIS_TIMEOUT_MS"
      )
}
