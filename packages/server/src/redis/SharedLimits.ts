// The AdmissionStore in Redis. Loaded only if REDIS_URL is set.
import type { TrafficLimits } from "@rapport/contract/Limits.ts"
import { AdmissionStore } from "@rapport/core/traffic/AdmissionStore.ts"
import { Context, Effect, Layer } from "effect"
import type { RedisSettings } from "../config/RedisSettings.ts"
import { makePlacesRedis } from "./ConcurrencyLimitRedis.ts"
import { makeFailedLoginsRedis } from "./FailedLoginsRedis.ts"
import { makeRatesRedis } from "./RateLimitRedis.ts"
import { Redis } from "./Redis.ts"

const admissionStoreLayer = (limits: TrafficLimits): Layer.Layer<AdmissionStore, never, Redis> =>
  Layer.effect(
    AdmissionStore,
    Effect.gen(function* () {
      const own = Context.get(yield* Layer.build(AdmissionStore.layer(limits)), AdmissionStore)
      return AdmissionStore.of({
        ...(yield* makeRatesRedis(limits, own)),
        ...(yield* makePlacesRedis(limits, own)),
        failedLogins: yield* makeFailedLoginsRedis(limits, own.failedLogins),
        // The bucket is in Redis, so reading it would be a round trip.
        localRate: () => Effect.undefined
      })
    })
  )

export const layer = (settings: RedisSettings, limits: TrafficLimits): Layer.Layer<AdmissionStore> =>
  Layer.provide(admissionStoreLayer(limits), Redis.layer(settings))
