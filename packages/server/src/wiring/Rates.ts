// The counters of requests and failed logins: in Redis if it is configured, else in memory.
import { AdmissionStore } from "@rapport/core/traffic/AdmissionStore.ts"
import { Effect, Layer } from "effect"
import { Config } from "../Config.ts"

export const ratesLayer: Layer.Layer<AdmissionStore, never, Config> = Layer.unwrap(
  Effect.gen(function* () {
    const { limits, redis } = (yield* Config).settings
    if (redis === undefined) return AdmissionStore.layer(limits)
    const SharedLimits = yield* Effect.promise(() => import("../redis/SharedLimits.ts"))
    return SharedLimits.layer(redis, limits)
  })
)
