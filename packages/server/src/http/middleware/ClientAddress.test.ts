// The address of a request, by contract §10: forwarding headers count only from RAPPORT_TRUSTED_PROXIES.
import { assert, it } from "@effect/vitest"
import { Effect, Logger, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { IpNetwork } from "effect/net"
import { clientAddress, makeForwardingWarning } from "./RequestOrigin.ts"

const trusted = [IpNetwork.fromStringUnsafe("10.0.0.0/8"), IpNetwork.fromStringUnsafe("fd00::/8")]
const request = (peer: string, headers: Record<string, string>) =>
  HttpServerRequest.fromWeb(new Request("http://x/", { headers })).modify({
    remoteAddress: Option.some(peer)
  })
const addressOf = (peer: string, headers: Record<string, string>, networks = trusted) =>
  Option.getOrNull(clientAddress(request(peer, headers), networks))

it.each([
  { "x-forwarded-for": "203.0.113.7" },
  { forwarded: "for=203.0.113.7" },
  { "x-real-ip": "203.0.113.7" }
])(
  "the address is that of the connection, whatever %j says, without a trusted proxy",
  (headers: Record<string, string>) => {
    assert.strictEqual(addressOf("198.51.100.1", headers), "198.51.100.1")
    assert.strictEqual(addressOf("10.0.0.1", headers, []), "10.0.0.1")
  }
)
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
  [{ "x-real-ip": "203.0.113.7", "x-forwarded-for": "6.6.6.6, 203.0.113.7:4711" }, "203.0.113.7"],
  [{ "x-real-ip": "2001:DB8:0::1", forwarded: 'for="[2001:db8::1]"' }, "2001:db8::1"],
  // A proxy sets one of them, and its client the other.
  [{ "x-real-ip": "203.0.113.7", "x-forwarded-for": "6.6.6.6" }, "10.0.0.1"],
  [{ "x-real-ip": "6.6.6.6", "x-forwarded-for": "203.0.113.7" }, "10.0.0.1"],
  [{ "x-real-ip": "203.0.113.7", forwarded: "for=6.6.6.6" }, "10.0.0.1"],
  [{ forwarded: "for=203.0.113.7", "x-forwarded-for": "6.6.6.6" }, "10.0.0.1"],
  [{ "x-real-ip": "203.0.113.7", "x-forwarded-for": "10.1.1.1" }, "203.0.113.7"],
  [{ "x-real-ip": "203.0.113.7, 6.6.6.6" }, "10.0.0.1"],
  [{ "x-real-ip": "10.2.3.4", "x-forwarded-for": "6.6.6.6, 203.0.113.7, 10.2.3.4" }, "203.0.113.7"],
  [{ "x-real-ip": "unknown", "x-forwarded-for": "6.6.6.6" }, "10.0.0.1"],
  [{}, "10.0.0.1"]
])("the address behind a trusted proxy with %j is %s", (headers: Record<string, string>, address) => {
  assert.strictEqual(addressOf("10.0.0.1", headers), address)
  assert.strictEqual(
    addressOf("::ffff:10.0.0.1", headers),
    address === "10.0.0.1" ? "::ffff:10.0.0.1" : address
  )
})

const forwarded = { "x-forwarded-for": "203.0.113.7" }

it.effect("a forwarding header from an untrusted address gives one warning", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(JSON.stringify(message)))])
    const warned = makeForwardingWarning(trusted)
    const from = (peer: string, headers: Record<string, string>) =>
      Effect.provide(warned(request(peer, headers)), logger)
    yield* from("198.51.100.1", {})
    yield* from("10.0.0.1", forwarded)
    assert.deepStrictEqual(lines, [])
    for (let i = 0; i < 3; i++) yield* from("198.51.100.1", forwarded)
    assert.strictEqual(lines.length, 1)
    assert.include(lines[0], "198.51.100.1")
    assert.include(lines[0], "RAPPORT_TRUSTED_PROXIES")
    assert.notInclude(lines[0], "203.0.113.7")
  })
)
