// Concurrency limits that several processes share. Redis counts the places of each process; those of a process without a heartbeat
// are free.
import type { TrafficLimits } from "@rapport/contract/Limits.ts"
import type { AdmissionStore, Places, TakenPlaces } from "@rapport/core/traffic/AdmissionStore.ts"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Redis, redisScript } from "./Redis.ts"

const HEARTBEAT_MILLIS = 1_000
/** The places of a process are free this long after its last heartbeat. */
const HEARTBEAT_EXPIRES_MILLIS = 4_000
/** Unused counters expire after this: longer than any request lasts. */
const PLACES_EXPIRE_MILLIS = 300_000

const PROCESS_KEY = "rapport:process:"
const heartbeat = `redis.call('SET', '${PROCESS_KEY}' .. process, '1', 'PX', ${HEARTBEAT_EXPIRES_MILLIS})`

/** KEYS: a hash per limit, its count by process. ARGV: process, then the maximums. Returns the index of the first full limit, or 0. */
const takeScript = redisScript(`local process = ARGV[1]
for i = 1, #KEYS do
  local max, counts, count = tonumber(ARGV[1 + i]), redis.call('HGETALL', KEYS[i]), 0
  for j = 2, #counts, 2 do count = count + tonumber(counts[j]) end
  for j = 1, count >= max and #counts or 0, 2 do
    if counts[j] ~= process and redis.call('EXISTS', '${PROCESS_KEY}' .. counts[j]) == 0 then
      redis.call('HDEL', KEYS[i], counts[j])
      count = count - tonumber(counts[j + 1])
    end
  end
  if count >= max then return i end
end
${heartbeat}
for i = 1, #KEYS do
  redis.call('HINCRBY', KEYS[i], process, 1)
  redis.call('PEXPIRE', KEYS[i], ${PLACES_EXPIRE_MILLIS})
end
return 0`)

/** KEYS and ARGV as above. */
const releaseScript = redisScript(`for i = 1, #KEYS do
  if redis.call('HINCRBY', KEYS[i], ARGV[1], -1) <= 0 then redis.call('HDEL', KEYS[i], ARGV[1]) end
end
return 0`)

const heartbeatScript = redisScript(`local process = ARGV[1]
${heartbeat}
return 0`)

const decodeFull = Schema.decodeUnknownEffect(Schema.Int)
const keysOf = (places: Places) => places.map(([limit, key]) => `rapport:places:${limit}:${key}`)

/**
 * A process that reaches a limit with its own requests does not call Redis, so a flood costs no round trips. While Redis is
 * unavailable each process counts separately.
 */
export const makePlacesRedis = Effect.fnUntraced(function* (
  limits: TrafficLimits,
  own: AdmissionStore["Service"]
) {
  const redis = yield* Redis
  // If a failure leaves the count in Redis unknown, the process continues under a new name, and the old count expires.
  let process = randomUUID()
  const rename = Effect.sync(() => {
    process = randomUUID()
  })
  const showHeartbeat = Effect.suspend(() => redis.run(heartbeatScript, [], [process])).pipe(Effect.ignore)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(HEARTBEAT_MILLIS), showHeartbeat)))

  const take = Effect.fnUntraced(function* (places: Places) {
    const owner = process
    const maximums = places.map(([limit]) => limits[limit])
    const full = yield* Effect.flatMap(
      redis.run(takeScript, keysOf(places), [owner, ...maximums]),
      decodeFull
    )
    const limit = places[full - 1]?.[0]
    if (limit !== undefined) return { full: limit }
    const release = redis.run(releaseScript, keysOf(places), [owner])
    return { release: Effect.asVoid(Effect.catch(release, () => rename)) }
  })
  const takeShared = (
    places: Places,
    local: { readonly release: Effect.Effect<void> }
  ): Effect.Effect<TakenPlaces> =>
    take(places).pipe(
      Effect.tap((shared) => ("full" in shared ? local.release : Effect.void)),
      Effect.map((shared) =>
        "full" in shared ? shared : { release: Effect.andThen(local.release, shared.release) }
      ),
      Effect.catch(() => Effect.as(rename, local))
    )
  return {
    takePlaces: (places: Places): Effect.Effect<TakenPlaces> =>
      Effect.flatMap(own.takePlaces(places), (local) =>
        "full" in local ? Effect.succeed(local) : takeShared(places, local)
      )
  }
})
