// The check of Redis in `rapport doctor`. Loaded only if REDIS_URL is set.
import { Effect } from "effect"
import type { RedisSettings } from "../config/RedisSettings.ts"
import { tryRedis } from "../redis/Redis.ts"
import type { Check } from "./Checks.ts"

/** The share of RAPPORT_REDIS_TIMEOUT_MS above which a write counts as slow. */
const SLOW_SHARE = 0.5

/** Only a warning if Redis is unavailable: the service works without it. */
export const redisCheck = (settings: RedisSettings): Effect.Effect<Check> =>
  Effect.match(tryRedis(settings), {
    onFailure: ({ message }) => ({
      name: "redis",
      status: "warning",
      found: `${message}: every process counts limits separately`,
      mend: "check REDIS_URL (host, port, user, password, database), REDIS_CA_FILE, and the memory and rights of Redis"
    }),
    onSuccess: (millis) => latencyCheck(Math.round(millis), settings)
  })

const latencyCheck = (millis: number, { timeoutMillis, tls }: RedisSettings): Check => {
  const found = `a write takes ${millis} ms${tls ? ", encrypted" : ""}`
  if (millis <= timeoutMillis * SLOW_SHARE) return { name: "redis", status: "ok", found, mend: null }
  return {
    name: "redis",
    status: "warning",
    found: `${found}; a request waits ${timeoutMillis} ms at most`,
    mend: "move Redis closer, or raise RAPPORT_REDIS_TIMEOUT_MS"
  }
}
