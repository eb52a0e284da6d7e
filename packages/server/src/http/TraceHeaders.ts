// Trace ids of a caller are taken over from trusted proxies alone: other callers do not write into our traces.
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import type { IncomingMessage, Server } from "node:http"

const headers = ["traceparent", "tracestate", "b3", "x-b3-traceid", "x-b3-spanid", "x-b3-sampled"]

const isTrusted = (address: string | undefined, trusted: ReadonlyArray<IpNetwork.IpNetwork>): boolean => {
  if (trusted.length === 0) return false
  const ip = NetAddress.ipFromString((address ?? "").replace(/^::ffff:(?=\d+\.)/iu, ""))
  return Result.isSuccess(ip) && trusted.some((network) => IpNetwork.contains(network, ip.success))
}

/** The listener, set to drop such headers of all other callers before a request is handled. */
export const withTrustedTraces = (server: Server, trusted: ReadonlyArray<IpNetwork.IpNetwork>): Server => {
  const drop = (request: IncomingMessage) => {
    if (isTrusted(request.socket.remoteAddress, trusted)) return
    for (const name of headers) delete request.headers[name]
  }
  return server.prependListener("request", drop).prependListener("checkContinue", drop)
}
