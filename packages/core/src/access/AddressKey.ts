// The key for the limits of an address: of an IPv6 address its /64, because one owner has all of it (contract §10).
import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** Bits of an IPv6 address that identify the network of one owner. */
const IPV6_PREFIX_BITS = 64

/** Returns an IPv4 address and other text unchanged. An IPv4 address that is mapped to IPv6 is an IPv4 address. */
export const addressKey = (address: string): string => {
  const bare = address.replace(/%.*$/u, "")
  const ip = NetAddress.ipFromString(bare)
  if (Result.isFailure(ip)) return address
  if (NetAddress.isIpv4Address(ip.success)) return NetAddress.formatIp(ip.success)
  const mapped = NetAddress.fromIpv4Mapped(ip.success)
  if (Option.isSome(mapped)) return NetAddress.formatIp(mapped.value)
  return IpNetwork.format(IpNetwork.fromAddressUnsafe(ip.success, IPV6_PREFIX_BITS))
}
