// The origin of a request: its client address, arrival time, instance and id.
import { Clock, Effect, Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import type { IncomingMessage } from "node:http"

/** The parts that Node's request and the framework's have in common. */
export interface SeenRequest {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly remoteAddress: Option.Option<string>
}

/** Parses an address with or without brackets and port, and writes it in one form; undefined if it is none. */
const addressOf = (text: string): string | undefined => {
  const trimmed = text.trim().replace(/^"(.*)"$/u, "$1")
  const bare =
    /^\[(.+)\](?::\d+)?$/u.exec(trimmed)?.[1] ?? trimmed.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/u, "$1")
  const ip = NetAddress.ipFromString(bare)
  return Result.isSuccess(ip) ? NetAddress.formatIp(ip.success) : undefined
}

const forwardedFor = (header: string): ReadonlyArray<string> =>
  header.split(",").map((hop) => /(?:^|;)\s*for=("[^"]*"|[^;]*)/iu.exec(hop)?.[1] ?? "")

/** The hops that each present header names, nearest last. */
const hopsOf = ({ headers }: SeenRequest): ReadonlyArray<ReadonlyArray<string>> =>
  (
    [
      ["x-forwarded-for", (header: string) => header.split(",")],
      ["forwarded", forwardedFor],
      ["x-real-ip", (header: string) => [header]]
    ] as const
  ).flatMap(([name, hops]) => {
    const header = headers[name]
    return typeof header === "string" ? [hops(header)] : []
  })

export const isTrusted = (trusted: ReadonlyArray<IpNetwork.IpNetwork>, address: string): boolean => {
  if (trusted.length === 0) return false
  const ip = NetAddress.ipFromString(address.replace(/^::ffff:(?=\d+\.)/iu, ""))
  return Result.isSuccess(ip) && trusted.some((network) => IpNetwork.contains(network, ip.success))
}

/** Whether an untrusted address sent forwarding headers. They are ignored. */
const isForwardedByStranger = (request: SeenRequest, trusted: ReadonlyArray<IpNetwork.IpNetwork>): boolean =>
  hopsOf(request).length > 0 &&
  !isTrusted(
    trusted,
    Option.getOrElse(request.remoteAddress, () => "unknown")
  )

/**
 * Warns once that an untrusted address sent a forwarding header. The header is ignored, so behind a proxy that is missing in the settings
 * all callers share the limits of one address.
 */
export const makeForwardingWarning = (trusted: ReadonlyArray<IpNetwork.IpNetwork>) => {
  let hasWarned = false
  return (request: SeenRequest): Effect.Effect<void> => {
    if (hasWarned || !isForwardedByStranger(request, trusted)) return Effect.void
    hasWarned = true
    const peer = Option.getOrElse(request.remoteAddress, () => "unknown")
    return Effect.logWarning(
      `a forwarding header from ${peer} is not used: RAPPORT_TRUSTED_PROXIES does not name that address. Behind a proxy, name it; else all callers share the limits of one address`
    )
  }
}

/**
 * The nearest address that is no trusted proxy. A proxy passes the headers that it does not set as its client sent them. So headers that
 * name different clients, or no address, count as none.
 */
export const clientAddress = (
  request: SeenRequest,
  trusted: ReadonlyArray<IpNetwork.IpNetwork>
): Option.Option<string> =>
  Option.map(request.remoteAddress, (peer) => {
    if (!isTrusted(trusted, peer)) return peer
    const chains = hopsOf(request).map((hops) => hops.map(addressOf))
    const isClient = (address: string | undefined) => address === undefined || !isTrusted(trusted, address)
    const clients = new Set(
      chains.flatMap((chain) => (chain.some(isClient) ? [chain.findLast(isClient)] : []))
    )
    // Without a client, a trusted proxy began the request: the farthest one.
    if (clients.size === 0) return chains[0]?.[0] ?? peer
    return clients.size === 1 ? ([...clients][0] ?? peer) : peer
  })

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

const notesOf = (source: object): Notes => {
  const known = notes.get(source)
  if (known !== undefined) return known
  const added: Notes = { arrivedAt: null, instance: null, requestId: null }
  notes.set(source, added)
  return added
}

/** Notes the instance of an authenticated request. */
export const noteInstance = ({ source }: Request, instanceId: number): void => {
  notesOf(source).instance = instanceId
}
/** Notes the id of a request. */
export const noteRequestId = ({ source }: Request, id: string): void => {
  notesOf(source).requestId = id
}

/** The note of Node's request. */
export const namesOf = (source: object) => {
  const known = notes.get(source)
  return { instance: known?.instance ?? null, requestId: known?.requestId ?? null }
}

/** Notes when a request arrived. */
export const noteArrival = (now: () => number) => (request: IncomingMessage) => {
  notesOf(request).arrivedAt = now()
}

/** Milliseconds since Node's request arrived; 0 for a request in memory. */
export const millisSinceArrival = (source: object): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, now - (notes.get(source)?.arrivedAt ?? now)))
