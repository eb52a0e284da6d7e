// Failed logins that several processes share: the counters of core/traffic/FailedLogins.ts in Redis, by its clock.
import { FAILED_LOGIN_WINDOW_MILLIS } from "@rapport/contract/Limits.ts"
import {
  countersOf,
  type FailedLoginLimits,
  type FailedLogins,
  type LoginAttempt,
  type ReservedLogin
} from "@rapport/core/traffic/FailedLogins.ts"
import { Effect, Schema } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { REDIS_NOW } from "./RateLimitRedis.ts"
import { Redis, redisScript } from "./Redis.ts"

/** How often a waiting login checks whether earlier attempts of any process are settled. */
const LOGIN_POLL_MILLIS = 100
/** A pending attempt expires after this, in case its process died: longer than any password check takes. */
const LOGIN_PENDING_MILLIS_MAX = 30_000

/**
 * KEYS: failures and pending attempts of each counter. ARGV: window, expiry of a pending attempt, id, then maximum and 1 or 0 of each:
 * whether it may refuse. Returns the milliseconds to wait, -1 while pending attempts could use up a limit, or 0.
 */
const reserveScript = redisScript(`local now = ${REDIS_NOW}
local window, pending, id = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local wait, isPending = 0, false
for i = 1, #KEYS / 2 do
  local failures, waiting = KEYS[2 * i - 1], KEYS[2 * i]
  local max, isLimiting = tonumber(ARGV[2 + 2 * i]), ARGV[3 + 2 * i] == '1'
  redis.call('ZREMRANGEBYSCORE', failures, '-inf', now - window)
  redis.call('ZREMRANGEBYSCORE', waiting, '-inf', now)
  local count = redis.call('ZCARD', failures)
  if isLimiting and count >= max then
    local at = redis.call('ZRANGE', failures, count - max, count - max, 'WITHSCORES')[2]
    wait = math.max(wait, tonumber(at) + window - now)
  elseif isLimiting and count + redis.call('ZCARD', waiting) >= max then
    isPending = true
  end
end
if wait > 0 then return wait end
if isPending then return -1 end
for i = 1, #KEYS / 2 do
  redis.call('ZADD', KEYS[2 * i], now + pending, id)
  redis.call('PEXPIRE', KEYS[2 * i], pending)
end
return 0`)

/** KEYS as above. ARGV: window, id, whether it failed, then max of each. */
const settleScript = redisScript(`local now = ${REDIS_NOW}
local window, id, failed = tonumber(ARGV[1]), ARGV[2], ARGV[3] == '1'
for i = 1, #KEYS / 2 do
  local failures, waiting = KEYS[2 * i - 1], KEYS[2 * i]
  redis.call('ZREM', waiting, id)
  if failed then
    redis.call('ZADD', failures, now, id)
    redis.call('ZREMRANGEBYRANK', failures, 0, -(tonumber(ARGV[3 + i]) + 1))
    redis.call('PEXPIRE', failures, window)
  end
end
return 0`)

const decodeWait = Schema.decodeUnknownEffect(Schema.Number)

/** Hashed, because logs and tools of Redis show its keys. */
const keysOf = (counters: ReturnType<typeof countersOf>): ReadonlyArray<string> =>
  counters.flatMap(({ key }) => {
    const hash = createHash("sha256").update(key).digest("base64url")
    return [`rapport:login:${hash}:failed`, `rapport:login:${hash}:pending`]
  })

/** While Redis is unavailable each process counts separately. */
export const makeFailedLoginsRedis = Effect.fnUntraced(function* (
  limits: FailedLoginLimits,
  own: FailedLogins
): Effect.fn.Return<FailedLogins, never, Redis> {
  const redis = yield* Redis
  const makeReservedLogin = (attempt: LoginAttempt, id: string): ReservedLogin => {
    const counters = countersOf(limits, attempt)
    const maximums = counters.map(({ max }) => max)
    return {
      settle: (failed) =>
        redis
          .run(settleScript, keysOf(counters), [FAILED_LOGIN_WINDOW_MILLIS, id, failed ? 1 : 0, ...maximums])
          .pipe(
            Effect.asVoid,
            Effect.catch(() => (failed ? countLocally(attempt) : Effect.void))
          )
    }
  }
  const countLocally = (attempt: LoginAttempt) =>
    Effect.flatMap(own.reserve(attempt), (place) =>
      typeof place === "object" ? place.settle(true) : Effect.void
    )
  const reserve = Effect.fnUntraced(function* (attempt: LoginAttempt) {
    const counters = countersOf(limits, attempt)
    const id = randomUUID()
    const wait = yield* redis
      .run(reserveScript, keysOf(counters), [
        FAILED_LOGIN_WINDOW_MILLIS,
        LOGIN_PENDING_MILLIS_MAX,
        id,
        ...counters.flatMap(({ isLimiting, max }) => [max, isLimiting ? 1 : 0])
      ])
      .pipe(Effect.flatMap(decodeWait))
    if (wait < 0) return "wait" as const
    return wait > 0 ? wait : makeReservedLogin(attempt, id)
  })
  return {
    reserve: (attempt) => Effect.catch(reserve(attempt), () => own.reserve(attempt)),
    decided: Effect.succeed(Effect.sleep(LOGIN_POLL_MILLIS))
  }
})
