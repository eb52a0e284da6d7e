// What `rapport doctor` says of the Redis that limits are shared through. Loaded only where REDIS_URL is set.
import { Effect } from "effect"
import type { RedisSettings } from "../config/RedisSettings.ts"
import { tryRedis } from "../redis/Redis.ts"
import type { Check } from "./Checks.ts"

/** Of the time that a request waits for it, what a write may take. */
const SLOW_SHARE = 0.5

/** A service does without it, so a Redis that is away is no failure of the service. */
export const redisCheck = (settings: RedisSettings): Effect.Effect<Check> =>
  Effect.match(tryRedis(settings), {
    onFailure: ({ message }) => ({
      name: "redis",
      status: "warning",
      found: `${message}: every process counts limits for itself`,
      mend: "look at REDIS_URL (host, port, user, password, database), REDIS_CA_FILE, and the memory and rights of Redis"
    }),
    onSuccess: (millis) => judged(Math.round(millis), settings)
  })

const judged = (millis: number, { timeoutMillis, tls }: RedisSettings): Check => {
  const found = `a write takes ${millis} ms${tls ? ", encrypted" : ""}`
  if (millis <= timeoutMillis * SLOW_SHARE) return { name: "redis", status: "ok", found, mend: null }
  return {
    name: "redis",
    status: "warning",
    found: `${found}; a request waits ${timeoutMillis} ms at most`,
    mend: "bring Redis nearer, or raise RAPPORT_REDIS_TIMEOUT_MS"
  }
}
