// Whose address a request has, by docs/contract.md §10: forwarding headers count only from RAPPORT_TRUSTED_PROXIES.
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { IpNetwork } from "effect/net"
import { clientAddress } from "./ClientAddress.ts"

const trusted = [IpNetwork.fromStringUnsafe("10.0.0.0/8"), IpNetwork.fromStringUnsafe("fd00::/8")]
const addressOf = (peer: string, headers: Record<string, string>, networks = trusted) =>
  Option.getOrNull(
    clientAddress(
      HttpServerRequest.fromWeb(new Request("http://x/", { headers })).modify({
        remoteAddress: Option.some(peer)
      }),
      networks
    )
  )

describe("docs/contract.md §10: the address is that of the connection", () => {
  it.each([
    { "x-forwarded-for": "203.0.113.7" },
    { forwarded: "for=203.0.113.7" },
    { "x-real-ip": "203.0.113.7" }
  ])("whatever %j says, when nobody or another one is trusted", (headers: Record<string, string>) => {
    assert.strictEqual(addressOf("198.51.100.1", headers), "198.51.100.1")
    assert.strictEqual(addressOf("10.0.0.1", headers, []), "10.0.0.1")
  })
  it.each([
    [{ "x-forwarded-for": "203.0.113.7" }, "203.0.113.7"],
    [{ "x-forwarded-for": "6.6.6.6, 203.0.113.7" }, "203.0.113.7"],
    [{ "x-forwarded-for": "203.0.113.7, 10.2.3.4" }, "203.0.113.7"],
    [{ "x-forwarded-for": "10.9.9.9, 10.2.3.4" }, "10.9.9.9"],
    [{ "x-forwarded-for": "203.0.113.7:4711" }, "203.0.113.7"],
    [{ "x-forwarded-for": "203.0.113.7, unknown" }, "10.0.0.1"],
    [{ "x-forwarded-for": "2001:db8::1" }, "2001:db8::1"],
    [{ forwarded: 'for="[2001:db8::1]:4711";proto=https' }, "2001:db8::1"],
    [{ forwarded: "for=6.6.6.6, proto=http;for=203.0.113.7" }, "203.0.113.7"],
    [{ "x-real-ip": "203.0.113.7" }, "203.0.113.7"],
    [{}, "10.0.0.1"]
  ])(
    "from a trusted proxy %j is %s: the nearest that is no proxy",
    (headers: Record<string, string>, address) => {
      assert.strictEqual(addressOf("10.0.0.1", headers), address)
      assert.strictEqual(
        addressOf("::ffff:10.0.0.1", headers),
        address === "10.0.0.1" ? "::ffff:10.0.0.1" : address
      )
    }
  )
})
