// docs/operations.md, "Delivery": the phone of the demo answers to its own names and takes a limited number of messages.
import { assert, it } from "@effect/vitest"
import { isOwnHost, makeMessageLimit, PHONE_MESSAGES_ADDRESS_MAX } from "./PhoneGuard.ts"

it.each([
  ["127.0.0.1:8080", true],
  ["[::1]", true],
  ["localhost", true],
  ["support.example.com", true],
  ["support.example.com.evil.example", false],
  ["localhost.evil.example", false],
  ["", false],
  [undefined, false]
])("isOwnHost(%s) is %s", (host, isOwn) => {
  assert.strictEqual(isOwnHost(host, "https://support.example.com"), isOwn)
})

it("messages of the demo phone are limited per address and in total, and allowed again later", () => {
  const take = makeMessageLimit()
  const countTaken = (address: string, now: number) =>
    Array.from({ length: 100 }, () => take(address, now)).filter((later) => later === null).length
  assert.strictEqual(countTaken("192.0.2.1", 0), PHONE_MESSAGES_ADDRESS_MAX)
  assert.isAbove(take("192.0.2.1", 0) ?? 0, 0)
  const others = Array.from({ length: 50 }, (_, i) => countTaken(`192.0.2.${i + 2}`, 0))
  assert.strictEqual(
    others.reduce((sum, count) => sum + count, 0),
    90
  )
  assert.strictEqual(countTaken("192.0.2.1", 60_000), PHONE_MESSAGES_ADDRESS_MAX)
})
