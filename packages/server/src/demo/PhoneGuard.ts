// What protects the phone of the demo, which has no login: the names it answers to, and how many messages it takes.
import { addressKey } from "@rapport/core/access/AddressKey.ts"
import { makeBuckets } from "@rapport/core/traffic/RateLimits.ts"
import { isIP } from "node:net"

/**
 * Whether a page of this `Host` may use the phone: an address, localhost, or the public name of the service. Any other name may be one
 * that its owner points at this machine (DNS rebinding).
 */
export const isOwnHost = (host: string | undefined, publicOrigin: string | undefined): boolean => {
  const name = hostnameOf(`http://${host ?? ""}`)
  if (name === undefined) return false
  return (
    isIP(name) !== 0 ||
    name === "localhost" ||
    (publicOrigin !== undefined && name === hostnameOf(publicOrigin))
  )
}

const hostnameOf = (origin: string): string | undefined =>
  URL.parse(origin)?.hostname.replace(/^\[(.*)\]$/u, "$1")

/** Messages a minute, of one address and of all. */
export const PHONE_MESSAGES_ADDRESS_MAX = 30
const PHONE_MESSAGES_MAX = 120

/** Takes one message of the limits; milliseconds until there is one again, null where it was taken. */
export const makeMessageLimit = () => {
  const addresses = makeBuckets(PHONE_MESSAGES_ADDRESS_MAX)
  const all = makeBuckets(PHONE_MESSAGES_MAX)
  return (address: string | null, now: number): number | null =>
    addresses.take(addressKey(address ?? ""), 1, now).retryAfterMillis ??
    all.take("", 1, now).retryAfterMillis
}
