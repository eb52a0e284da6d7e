// Places that several processes share: each process notes in Redis how many it holds, and shows there that it lives. What a process
// held that shows nothing any more is free.
import type { TrafficLimits } from "@rapport/contract/Limits.ts"
import type { AdmissionStore, Places, Taken } from "@rapport/core/traffic/RateLimits.ts"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Redis, redisScript } from "./Redis.ts"

/** A process shows that it lives so often, */
const PROCESS_SHOWN_MILLIS = 1_000
/** and what it held is free when it has shown nothing for so long. */
const PROCESS_LIVES_MILLIS = 4_000
/** Places that nobody asked for are forgotten after this: longer than any request lasts. */
const PLACES_KEPT_MILLIS = 300_000

const PROCESS_KEY = "rapport:process:"
const isShown = `redis.call('SET', '${PROCESS_KEY}' .. process, '1', 'PX', ${PROCESS_LIVES_MILLIS})`

/** KEYS: the places, each a number by process. ARGV: process, then the most of each. The first that is full, or 0. */
const takeScript = redisScript(`local process = ARGV[1]
for i = 1, #KEYS do
  local max, held, count = tonumber(ARGV[1 + i]), redis.call('HGETALL', KEYS[i]), 0
  for j = 2, #held, 2 do count = count + tonumber(held[j]) end
  for j = 1, count >= max and #held or 0, 2 do
    if held[j] ~= process and redis.call('EXISTS', '${PROCESS_KEY}' .. held[j]) == 0 then
      redis.call('HDEL', KEYS[i], held[j])
      count = count - tonumber(held[j + 1])
    end
  end
  if count >= max then return i end
end
${isShown}
for i = 1, #KEYS do
  redis.call('HINCRBY', KEYS[i], process, 1)
  redis.call('PEXPIRE', KEYS[i], ${PLACES_KEPT_MILLIS})
end
return 0`)

/** KEYS and ARGV as above. */
const giveScript = redisScript(`for i = 1, #KEYS do
  if redis.call('HINCRBY', KEYS[i], ARGV[1], -1) <= 0 then redis.call('HDEL', KEYS[i], ARGV[1]) end
end
return 0`)

const showScript = redisScript(`local process = ARGV[1]
${isShown}
return 0`)

const decodeFull = Schema.decodeUnknownEffect(Schema.Int)
const keysOf = (places: Places) => places.map(([limit, key]) => `rapport:places:${limit}:${key}`)

/**
 * A process that is at a limit by itself does not ask Redis, so a flood costs no round trips. Where Redis is away every process counts
 * by itself.
 */
export const makePlacesRedis = Effect.fnUntraced(function* (
  limits: TrafficLimits,
  own: AdmissionStore["Service"]
) {
  const redis = yield* Redis
  // Where Redis may not know of a place that was taken or given back, the process continues under another name: what the old
  // one holds expires.
  let process = randomUUID()
  const renamed = Effect.sync(() => {
    process = randomUUID()
  })
  const show = Effect.suspend(() => redis.run(showScript, [], [process])).pipe(Effect.ignore)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(PROCESS_SHOWN_MILLIS), show)))

  const take = Effect.fnUntraced(function* (places: Places) {
    const holder = process
    const maximums = places.map(([limit]) => limits[limit])
    const full = yield* Effect.flatMap(
      redis.run(takeScript, keysOf(places), [holder, ...maximums]),
      decodeFull
    )
    const limit = places[full - 1]?.[0]
    if (limit !== undefined) return { full: limit }
    const give = redis.run(giveScript, keysOf(places), [holder])
    return { give: Effect.asVoid(Effect.catch(give, () => renamed)) }
  })
  const takeShared = (places: Places, mine: { readonly give: Effect.Effect<void> }): Effect.Effect<Taken> =>
    take(places).pipe(
      Effect.tap((shared) => ("full" in shared ? mine.give : Effect.void)),
      Effect.map((shared) => ("full" in shared ? shared : { give: Effect.andThen(mine.give, shared.give) })),
      Effect.catch(() => Effect.as(renamed, mine))
    )
  return {
    knownFull: own.knownFull,
    takePlaces: (places: Places): Effect.Effect<Taken> =>
      Effect.flatMap(own.takePlaces(places), (mine) =>
        "full" in mine ? Effect.succeed(mine) : takeShared(places, mine)
      )
  }
})
