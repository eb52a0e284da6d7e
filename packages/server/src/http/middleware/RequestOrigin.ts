// Where a request comes from: the address of its client, when it arrived, and the instance and id that are noted of it.
import { Clock, Effect, Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import type { IncomingMessage, Server } from "node:http"

/** What is looked at of a request, as Node and as the framework have it. */
export interface SeenRequest {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly remoteAddress: Option.Option<string>
}

/** An address as a proxy writes it, with or without brackets and port; undefined where it is none. */
const addressOf = (text: string): string | undefined => {
  const trimmed = text.trim().replace(/^"(.*)"$/u, "$1")
  const bare =
    /^\[(.+)\](?::\d+)?$/u.exec(trimmed)?.[1] ?? trimmed.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/u, "$1")
  return Result.isSuccess(NetAddress.ipFromString(bare)) ? bare : undefined
}

const forwardedFor = (header: string): ReadonlyArray<string> =>
  header.split(",").map((hop) => /(?:^|;)\s*for=("[^"]*"|[^;]*)/iu.exec(hop)?.[1] ?? "")

/**
 * The hops that the headers name, nearest last: X-Forwarded-For, else Forwarded; and behind them X-Real-IP, which a proxy sets to
 * its own peer, where the others begin with whatever the client sent.
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

const isTrusted = (trusted: ReadonlyArray<IpNetwork.IpNetwork>, address: string): boolean => {
  const ip = NetAddress.ipFromString(address.replace(/^::ffff:(?=\d+\.)/iu, ""))
  return Result.isSuccess(ip) && trusted.some((network) => IpNetwork.contains(network, ip.success))
}

/** Whether forwarding headers came from an address that is no trusted proxy: they do not count. */
const isForwardedByStranger = (request: SeenRequest, trusted: ReadonlyArray<IpNetwork.IpNetwork>): boolean =>
  hopsOf(request.headers).length > 0 &&
  !isTrusted(
    trusted,
    Option.getOrElse(request.remoteAddress, () => "unknown")
  )

/**
 * Says once, for all requests that are given to it, that a forwarding header came from an address that is no trusted
 * proxy. It does not count; behind a proxy that is not in the settings, all callers share the limits of one address.
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

/** The nearest address that is no trusted proxy; a hop that is no address ends the walk at the one before it. */
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

/** What is noted of a request and gone with it. */
interface Notes {
  /** What waits for its turn before the application waits on the caller's time (contract §3.4). Null of a request in memory. */
  arrivedAt: number | null
  /** For the access log. */
  instance: number | null
  requestId: string | null
}

/** A request with what Node gave it as. */
interface Request {
  readonly source: object
}

/**
 * One entry a request: collecting garbage costs more for each. Nothing in it may lead back to the request: collections of young objects
 * keep the values of a map that is old, and with them their keys.
 */
const notes = new WeakMap<object, Notes>()

const noted = (source: object): Notes => {
  const known = notes.get(source)
  if (known !== undefined) return known
  const begun: Notes = { arrivedAt: null, instance: null, requestId: null }
  notes.set(source, begun)
  return begun
}

/** Names the instance of a request that was authenticated. */
export const noteInstance = ({ source }: Request, instanceId: number): void => {
  noted(source).instance = instanceId
}
/** Names a request. */
export const noteRequestId = ({ source }: Request, id: string): void => {
  noted(source).requestId = id
}

/** Of a request as Node gave it. */
export const namesOf = (source: object) => {
  const known = notes.get(source)
  return { instance: known?.instance ?? null, requestId: known?.requestId ?? null }
}

/** The listener, set to note when each request arrived, before anything else handles it. */
export const withArrivals = (server: Server, now: () => number): Server => {
  const note = (request: IncomingMessage) => {
    noted(request).arrivedAt = now()
  }
  return server.prependListener("request", note).prependListener("checkContinue", note)
}

/** Milliseconds since a request, as Node gave it, arrived; 0 of one in memory. */
export const millisSinceArrival = (source: object): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, now - (notes.get(source)?.arrivedAt ?? now)))
