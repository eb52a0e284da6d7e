// The key by which an address is counted: IPv6 by its /64, because one owner has all of it (contract §10).
import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** Bits of an IPv6 address that identify the network of one owner. */
const IPV6_PREFIX_BITS = 64

/** IPv4, also mapped to IPv6, is unchanged; so is text that is no address. */
export const addressKey = (address: string): string => {
  const bare = address.replace(/%.*$/u, "")
  const ip = NetAddress.ipFromString(bare)
  if (Result.isFailure(ip)) return address
  if (NetAddress.isIpv4Address(ip.success)) return NetAddress.formatIp(ip.success)
  const mapped = NetAddress.fromIpv4Mapped(ip.success)
  if (Option.isSome(mapped)) return NetAddress.formatIp(mapped.value)
  return IpNetwork.format(IpNetwork.fromAddressUnsafe(ip.success, IPV6_PREFIX_BITS))
}
