import { assert, it } from "@effect/vitest"
import { addressKey } from "./AddressKey.ts"

// contract §10: "An IPv6 address counts as its /64"
it.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
  ["fe80::1%eth0", "fe80::/64"],
  ["::1", "::/64"],
  ["a name", "a name"]
])("the limit of %s is that of %s", (address, key) => {
  assert.strictEqual(addressKey(address), key)
})
