// Protects the phone of the demo, which has no login, by host name and message rate.
import { addressKey } from "@rapport/core/access/AddressKey.ts"
import { makeBuckets } from "@rapport/core/traffic/AdmissionStore.ts"
import { isIP } from "node:net"

/** Allows addresses, localhost and the public name. Another name may point at this machine (DNS rebinding). */
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

/** Messages a minute from one address, and from all. */
export const PHONE_MESSAGES_ADDRESS_MAX = 30
const PHONE_MESSAGES_MAX = 120

/** Takes one message from the limits. Returns the milliseconds until a retry, or null if it is allowed. */
export const makeMessageLimit = () => {
  const addresses = makeBuckets(PHONE_MESSAGES_ADDRESS_MAX)
  const all = makeBuckets(PHONE_MESSAGES_MAX)
  return (address: string | null, now: number): number | null =>
    addresses.take(addressKey(address ?? ""), 1, now).retryAfterMillis ??
    all.take("", 1, now).retryAfterMillis
}
