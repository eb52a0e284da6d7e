// Resolves host names of tenants to public addresses (docs/security.md, "Webhooks").
// Queries name servers directly: silent servers of a tenant would block the few threads of the system's lookup.
import { isPublicAddress } from "@rapport/core/delivery/PublicAddress.ts"
import * as dns from "node:dns"
import type { LookupFunction } from "node:net"

/** Timeout of a query to a name server, which doubles with each round. */
const LOOKUP_ATTEMPT_MILLIS = 1_000
const LOOKUP_ATTEMPTS = 2

class AddressNotAllowed extends Error {
  readonly code = "RAPPORT_ADDRESS_NOT_ALLOWED"
}

/** Every address of the name must be public, because Node tries them in order. */
export const publicLookup =
  (nameServers?: ReadonlyArray<string>): LookupFunction =>
  (hostname, options, callback) => {
    addressesOf(hostname, nameServers).then(
      (addresses) => {
        const [first] = addresses
        if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
          return callback(new AddressNotAllowed("the name resolves to a private address"), "", 4)
        return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family)
      },
      (error) => callback(error instanceof Error ? error : new Error(String(error)), "", 4)
    )
  }

const addressesOf = async (
  hostname: string,
  nameServers: ReadonlyArray<string> | undefined
): Promise<Array<dns.LookupAddress>> => {
  // RFC 6761 §6.3: these names are never queried.
  if (/(?:^|\.)localhost\.?$/iu.test(hostname)) return [{ address: "127.0.0.1", family: 4 }]
  // A new resolver reads the current name servers of the system.
  const resolver = new dns.promises.Resolver({ timeout: LOOKUP_ATTEMPT_MILLIS, tries: LOOKUP_ATTEMPTS })
  if (nameServers !== undefined) resolver.setServers(nameServers)
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = [
    ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : [])
  ]
  if (addresses.length === 0 && v4.status === "rejected") throw v4.reason
  return addresses
}
