// The origin of a request: its client address, arrival time, instance and id.
import { Clock, Effect, Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import type { IncomingMessage } from "node:http"

/** The parts that Node's request and the framework's have in common. */
export interface SeenRequest {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly remoteAddress: Option.Option<string>
}

/** Parses an address with or without brackets and port; undefined if it is none. */
const addressOf = (text: string): string | undefined => {
  const trimmed = text.trim().replace(/^"(.*)"$/u, "$1")
  const bare =
    /^\[(.+)\](?::\d+)?$/u.exec(trimmed)?.[1] ?? trimmed.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/u, "$1")
  return Result.isSuccess(NetAddress.ipFromString(bare)) ? bare : undefined
}

const forwardedFor = (header: string): ReadonlyArray<string> =>
  header.split(",").map((hop) => /(?:^|;)\s*for=("[^"]*"|[^;]*)/iu.exec(hop)?.[1] ?? "")

/**
 * The hops that the headers name, nearest last: X-Forwarded-For, else Forwarded, then X-Real-IP. A proxy sets X-Real-IP to its own peer,
 * while a client can begin the other two with arbitrary hops.
 */
const hopsOf = (headers: SeenRequest["headers"]): ReadonlyArray<string> => {
  const one = (name: string): string | undefined => {
    const value = headers[name]
    return typeof value === "string" ? value : undefined
  }
  const forwarded = one("forwarded")
  const hops = one("x-forwarded-for")?.split(",") ?? (forwarded === undefined ? [] : forwardedFor(forwarded))
  const realIp = one("x-real-ip")
  return realIp === undefined ? hops : [...hops, realIp]
}

export const isTrusted = (trusted: ReadonlyArray<IpNetwork.IpNetwork>, address: string): boolean => {
  const ip = NetAddress.ipFromString(address.replace(/^::ffff:(?=\d+\.)/iu, ""))
  return Result.isSuccess(ip) && trusted.some((network) => IpNetwork.contains(network, ip.success))
}

/** Whether an untrusted address sent forwarding headers. They are ignored. */
const isForwardedByStranger = (request: SeenRequest, trusted: ReadonlyArray<IpNetwork.IpNetwork>): boolean =>
  hopsOf(request.headers).length > 0 &&
  !isTrusted(
    trusted,
    Option.getOrElse(request.remoteAddress, () => "unknown")
  )

/**
 * Warns once that an untrusted address sent a forwarding header. The header is ignored, so behind a proxy that is missing in the settings
 * all callers share the limits of one address.
 */
export const makeForwardingWarning = (trusted: ReadonlyArray<IpNetwork.IpNetwork>) => {
  let isSaid = false
  return (request: SeenRequest): Effect.Effect<void> => {
    if (isSaid || !isForwardedByStranger(request, trusted)) return Effect.void
    isSaid = true
    const peer = Option.getOrElse(request.remoteAddress, () => "unknown")
    return Effect.logWarning(
      `a forwarding header from ${peer} is not used: RAPPORT_TRUSTED_PROXIES does not name that address. Behind a proxy, name it; else all callers share the limits of one address`
    )
  }
}

/** The nearest address that is no trusted proxy. A hop that is no address ends the search at the hop before it. */
export const clientAddress = (
  request: SeenRequest,
  trusted: ReadonlyArray<IpNetwork.IpNetwork>
): Option.Option<string> => {
  if (trusted.length === 0 || Option.isNone(request.remoteAddress)) return request.remoteAddress
  let address = request.remoteAddress.value
  const hops = hopsOf(request.headers)
  for (let i = hops.length - 1; i >= 0 && isTrusted(trusted, address); i--) {
    const hop = addressOf(hops[i] ?? "")
    if (hop === undefined) break
    address = hop
  }
  return Option.some(address)
}

/** Notes about a request that are collected with it. */
interface Notes {
  /** Waiting before the application starts counts against the caller's deadline (contract §3.4). Null for a request in memory. */
  arrivedAt: number | null
  /** For the access log. */
  instance: number | null
  requestId: string | null
}

/** The framework's request with Node's request in `source`. */
interface Request {
  readonly source: object
}

/** One entry per request. A note must not reference its request: the map would keep both alive until a full collection. */
const notes = new WeakMap<object, Notes>()

const noted = (source: object): Notes => {
  const known = notes.get(source)
  if (known !== undefined) return known
  const begun: Notes = { arrivedAt: null, instance: null, requestId: null }
  notes.set(source, begun)
  return begun
}

/** Notes the instance of an authenticated request. */
export const noteInstance = ({ source }: Request, instanceId: number): void => {
  noted(source).instance = instanceId
}
/** Notes the id of a request. */
export const noteRequestId = ({ source }: Request, id: string): void => {
  noted(source).requestId = id
}

/** The note of Node's request. */
export const namesOf = (source: object) => {
  const known = notes.get(source)
  return { instance: known?.instance ?? null, requestId: known?.requestId ?? null }
}

/** Notes when a request arrived. */
export const noteArrival = (now: () => number) => (request: IncomingMessage) => {
  noted(request).arrivedAt = now()
}

/** Milliseconds since Node's request arrived; 0 for a request in memory. */
export const millisSinceArrival = (source: object): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, now - (notes.get(source)?.arrivedAt ?? now)))
