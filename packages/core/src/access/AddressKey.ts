// What an address is counted by: an IPv6 address by its /64, since the owner of one address has all of it (contract §10).
import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** Bits of an IPv6 address that name the network of one customer. */
const IPV6_PREFIX_BITS = 64

/** An IPv4 address, also one written as IPv6, as itself; what is no address as it is. */
export const addressKey = (address: string): string => {
  const bare = address.replace(/%.*$/u, "")
  const ip = NetAddress.ipFromString(bare)
  if (Result.isFailure(ip)) return address
  if (NetAddress.isIpv4Address(ip.success)) return NetAddress.formatIp(ip.success)
  const mapped = NetAddress.fromIpv4Mapped(ip.success)
  if (Option.isSome(mapped)) return NetAddress.formatIp(mapped.value)
  return IpNetwork.format(IpNetwork.fromAddressUnsafe(ip.success, IPV6_PREFIX_BITS))
}
