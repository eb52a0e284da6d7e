// The HTTP settings that the composition root provides from Config.
import { Context, Layer } from "effect"
import type { IpNetwork } from "effect/net"

export interface HttpSettingsShape {
  /** Origins that get CORS headers. An empty list sends no CORS header. */
  readonly corsOrigins: ReadonlyArray<string>
  /** Networks whose forwarding headers are trusted. */
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
  /** The public URL of the service. Its Origin may use the tools, as loopback may (contract §6). */
  readonly publicOrigin: string | undefined
}

export class HttpSettings extends Context.Service<HttpSettings, HttpSettingsShape>()(
  "server/http/HttpSettings"
) {
  static readonly defaults: HttpSettingsShape = {
    corsOrigins: [],
    trustedProxies: [],
    publicOrigin: undefined
  }
  static readonly layer = (settings: Partial<HttpSettingsShape> = {}) =>
    Layer.succeed(HttpSettings, { ...HttpSettings.defaults, ...settings })
}
