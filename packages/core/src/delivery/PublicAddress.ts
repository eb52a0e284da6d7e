// Which addresses a webhook may reach: those of the public internet alone (contract §8). A name is judged by every
// address that it resolves to at the moment of a connection, never by what it resolved to before.
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

// Special-purpose registries of IANA (RFC 6890 and what came after it), without the few blocks that are reached globally.
const refused4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared between carriers and their customers
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
 * All that is given out globally. Outside of it are loopback, link-local, unique local and multicast addresses, those that
 * hold an IPv4 address (mapped, NAT64 of both prefixes), and all that is reserved.
 */
const global6 = IpNetwork.fromStringUnsafe("2000::/3")
const refused6 = [
  "2001::/23", // protocol assignments: Teredo, ORCHID, benchmarks
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: holds an IPv4 address
  "3fff::/20" // documentation
].map(IpNetwork.fromStringUnsafe)

/** Whether a webhook may connect to this address; what is no address is refused. A zone makes it link-local. */
export const isPublicAddress = (text: string): boolean => {
  const address = NetAddress.ipFromString(text)
  if (Result.isFailure(address)) return false
  const isIn = (network: IpNetwork.IpNetwork) => IpNetwork.contains(network, address.success)
  return NetAddress.isIpv4Address(address.success)
    ? !refused4.some(isIn)
    : isIn(global6) && !refused6.some(isIn)
}
