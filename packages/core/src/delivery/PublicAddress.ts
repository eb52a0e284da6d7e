// Which addresses webhooks may reach: only public ones (contract §8). A name is resolved and checked for every connection.
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

// IANA's special-purpose registries (RFC 6890 and later), without the few globally reachable blocks.
const refused4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared address space of carriers
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // the platform of a cloud, reached from its machines only
  "169.254.0.0/16", // link-local, with the metadata of most clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments, with the metadata of one cloud
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // relays of 6to4
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4" // reserved, broadcast
].map(IpNetwork.fromStringUnsafe)

/**
 * Global unicast. It excludes loopback, link-local, unique local, multicast, IPv4-mapped, NAT64 and reserved addresses.
 */
const global6 = IpNetwork.fromStringUnsafe("2000::/3")
const refused6 = [
  "2001::/23", // protocol assignments: Teredo, ORCHID, benchmarks
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: holds an IPv4 address
  "3fff::/20" // documentation
].map(IpNetwork.fromStringUnsafe)

/** Whether a webhook may connect to this address; false for text that is no address. */
export const isPublicAddress = (text: string): boolean => {
  const address = NetAddress.ipFromString(text)
  if (Result.isFailure(address)) return false
  const isIn = (network: IpNetwork.IpNetwork) => IpNetwork.contains(network, address.success)
  return NetAddress.isIpv4Address(address.success)
    ? !refused4.some(isIn)
    : isIn(global6) && !refused6.some(isIn)
}
