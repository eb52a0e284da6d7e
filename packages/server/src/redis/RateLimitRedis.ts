// Rates that several processes share: the buckets of core/traffic/AdmissionStore.ts in Redis, by its clock.
import type { TrafficLimit, TrafficLimits } from "@rapport/contract/Limits.ts"
import {
  type AdmissionStore,
  type Quota,
  quotaOf,
  RATE_WINDOW_MILLIS
} from "@rapport/core/traffic/AdmissionStore.ts"
import { Effect, Schema } from "effect"
import { Redis, redisScript } from "./Redis.ts"

/** Milliseconds by the clock of Redis, because the clocks of processes may differ. */
export const REDIS_NOW =
  "(function() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end)()"

/** `makeBuckets` in Lua. `now` is a Lua expression. A full bucket expires. */
export const takeScript = (now: string) =>
  redisScript(`local now = ${now}
local window, limit, amount = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local interval = window / limit
local stored = tonumber(redis.call('GET', KEYS[1]) or now)
local at = math.min(math.max(stored, now), now + window)
local wanted = at + math.min(math.max(amount, 1), limit) * interval
local excess = wanted - now - window
local retry = -1
if excess > interval / 1000 then retry = math.max(1, math.ceil(excess)) elseif amount > 0 then at = wanted end
if at ~= stored and at > now then
  redis.call('SET', KEYS[1], string.format('%.17g', at), 'PX', math.ceil(at - now))
end
return { string.format('%.17g', at - now), string.format('%.17g', retry) }`)

const take = takeScript(REDIS_NOW)
const decodeAnswer = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.NumberFromString, Schema.NumberFromString])
)

/** While Redis is unavailable each process counts separately. */
export const makeRatesRedis = Effect.fnUntraced(function* (
  limits: TrafficLimits,
  own: AdmissionStore["Service"]
) {
  const redis = yield* Redis
  return {
    takeRate: (limit: TrafficLimit, key: string, amount = 1): Effect.Effect<Quota> =>
      redis.run(take, [`rapport:rate:${limit}:${key}`], [RATE_WINDOW_MILLIS, limits[limit], amount]).pipe(
        Effect.flatMap(decodeAnswer),
        Effect.map(([wholeAfterMillis, retry]) =>
          quotaOf(limits[limit], wholeAfterMillis, retry < 0 ? null : retry)
        ),
        Effect.catch(() => own.takeRate(limit, key, amount))
      )
  }
})
