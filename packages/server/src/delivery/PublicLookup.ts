// The addresses of a name that a tenant gave. The name servers are asked directly: the system's lookup takes one of the few
// threads of the process for as long as a name server is silent, and the tenant chooses the name server of a name, so that a
// few silent ones would stop every lookup of the process (docs/security.md, "What goes out").
import { isPublicAddress } from "@rapport/core/delivery/PublicAddress.ts"
import * as dns from "node:dns"
import type { LookupFunction } from "node:net"
import { LOOKUP_ATTEMPT_MILLIS } from "./OutgoingHttpLimits.ts"

/** How often each name server is asked. */
const LOOKUP_ATTEMPTS = 2

class AddressNotAllowed extends Error {
  readonly code = "RAPPORT_ADDRESS_NOT_ALLOWED"
}

/**
 * All addresses of the name must be public: one of several that is not would be tried in its turn. `nameServers` are asked
 * instead of those of the system, as `address:port`.
 */
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
  // RFC 6761 §6.3: no name server is asked for these.
  if (/(?:^|\.)localhost\.?$/iu.test(hostname)) return [{ address: "127.0.0.1", family: 4 }]
  // One of its own: it reads which name servers there are today.
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
