// What the environment decides about HTTP: limits, foreign origins, proxies; the composition root provides it from Config.
import { TrafficDefaults, type TrafficLimits } from "@rapport/contract/Limits.ts"
import { Context, Layer } from "effect"
import type { IpNetwork } from "effect/net"

export interface HttpSettingsShape {
  /** Rates and concurrency (contract §10). */
  readonly limits: TrafficLimits
  /** Origins that get CORS headers; none means no CORS header at all. */
  readonly corsOrigins: ReadonlyArray<string>
  /** Networks whose forwarding headers count. */
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
  /** Where browsers find the service: the one Origin besides loopback that may use the tools (contract §6). */
  readonly publicOrigin: string | undefined
}

export class HttpSettings extends Context.Service<HttpSettings, HttpSettingsShape>()(
  "server/http/HttpSettings"
) {
  static readonly defaults: HttpSettingsShape = {
    limits: TrafficDefaults,
    corsOrigins: [],
    trustedProxies: [],
    publicOrigin: undefined
  }
  static readonly layer = (settings: Partial<HttpSettingsShape> = {}) =>
    Layer.succeed(HttpSettings, { ...HttpSettings.defaults, ...settings })
}
